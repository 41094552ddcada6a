import { matchesWildcard, toWildcard, type Wildcard } from '../../../util/wildcard-match.ts'
import { fold, matchesText, type Rule } from '../permissions/rule.ts'

/**
 * GATE-06: a URL's rules name the URL or its host. One that allows is tried part by part, so that `https://*.example.com/*`
 * does not allow `https://evil.example/.example.com/`; one that asks or denies is tried on everything.
 */
export function urlMatcher(url: string, host: string): (rule: Rule) => boolean {
  const named = URL.parse(url)?.href ?? url
  const texts = [...new Set([url, named, host])].map((text) => ({ text, folded: fold(text) }))
  const found = /^(https?:\/\/)([^/?#]*)(.*)$/s.exec(named)
  return (rule) => {
    const { folded, parts } = patternOf(rule)
    if (rule.action !== 'allow') {
      return texts.some(
        (form) => matchesText(rule, form.text) || matchesWildcard(folded, form.folded),
      )
    }
    if (parts === undefined) return matchesText(rule, host)
    if (found === null) return false
    const [, scheme, authority = '', rest = ''] = found
    if (parts.scheme !== scheme || !matchesWildcard(parts.authority, authority)) return false
    return matchesWildcard(parts.rest, rest)
  }
}

/** A rule for URLs, as it is matched; made once a rule. */
interface UrlPattern {
  readonly folded: Wildcard
  /** Where the pattern has a scheme. */
  readonly parts: UrlParts | undefined
}

interface UrlParts {
  readonly scheme: string
  readonly authority: Wildcard
  readonly rest: Wildcard
}

const remembered = new WeakMap<Rule, UrlPattern>()

function patternOf(rule: Rule): UrlPattern {
  const known = remembered.get(rule) ?? toUrlPattern(rule.pattern)
  remembered.set(rule, known)
  return known
}

function toUrlPattern(pattern: string): UrlPattern {
  const folded = toWildcard(fold(pattern))
  const split = /^(https?:\/\/)([^/]*)(.*)$/s.exec(pattern)
  if (split === null) return { folded, parts: undefined }
  const [, scheme = '', authority = '', rest = ''] = split
  const parts = { scheme, authority: toWildcard(fold(authority)), rest: toWildcard(rest || '/') }
  return { folded, parts }
}
