import { matchesWildcard, toWildcard } from '../../../util/wildcard-match.ts'
import { fold, matchesText, type Rule } from '../permissions/rule.ts'

/**
 * GATE-06: a URL's rules name the URL or its host. One that allows is tried part by part, so that `https://*.example.com/*`
 * does not allow `https://evil.example/.example.com/`; one that asks or denies is tried on everything.
 */
export function matchesUrl(rule: Rule, url: string, host: string): boolean {
  const named = URL.canParse(url) ? new URL(url).href : url
  if (rule.action !== 'allow') {
    return [url, named, host].some((text) => matchesText(rule, text) || matchesFolded(rule, text))
  }
  const split = /^(https?:\/\/)([^/]*)(.*)$/s.exec(rule.pattern)
  if (split === null) return matchesText(rule, host)
  const [, scheme = '', authority = '', rest = ''] = split
  const parts = /^(https?:\/\/)([^/?#]*)(.*)$/s.exec(named)
  if (parts === null) return false
  const matches = (pattern: string, text = ''): boolean =>
    matchesWildcard(toWildcard(pattern), text)
  return parts[1] === scheme && matches(fold(authority), parts[2]) && matches(rest || '/', parts[3])
}

function matchesFolded(rule: Rule, text: string): boolean {
  return matchesWildcard(toWildcard(fold(rule.pattern)), fold(text))
}
