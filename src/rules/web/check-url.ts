import { matchesWildcard, toWildcard, type Wildcard } from '../../util/text/wildcard-match.ts'
import { hostProblem } from './host-problem.ts'
import { toHostPattern } from './url-forms.ts'

/** Which URLs may be fetched (WEB-02, WEB-04). Domain lists hold wildcards for the host; an empty `allowedDomains` allows all. */
export interface WebRules {
  readonly allowedDomains: readonly string[]
  readonly deniedDomains: readonly string[]
  /** In addition to 443. */
  readonly allowedPorts: readonly number[]
}

/** Result of a check. `host` is lower case, without trailing dot and brackets. */
export type UrlVerdict =
  | { readonly kind: 'ok'; readonly url: string; readonly host: string }
  | { readonly kind: 'refused'; readonly why: string }

const maxUrlCharacters = 8_192

/**
 * Checks a URL before any connection is opened (WEB-02): https, no user name or password, a public host in any spelling, a
 * configured port, an allowed domain. Resolved addresses are checked again later.
 */
export function checkUrl(url: string, web: WebRules): UrlVerdict {
  if (url.length > maxUrlCharacters) return refused('the URL is too long')
  if (/[\p{C}\p{Z}\\]/u.test(url)) return refused('the URL holds spaces or unprintable characters')
  const parsed = URL.parse(url)
  if (parsed === null) return refused('this is not a URL')
  if (parsed.protocol !== 'https:') return refused('only https URLs are fetched')
  if (/^https:\/\/[^/?#]*@/i.test(url) || parsed.username !== '' || parsed.password !== '') {
    return refused('a URL with a user name or password is not fetched')
  }
  const port = parsed.port === '' ? 443 : Number(parsed.port)
  if (port !== 443 && !web.allowedPorts.includes(port))
    return refused(`port ${port} is not allowed`)
  if (parsed.hostname.endsWith('..')) return refused('the host is not a name that can be looked up')
  const host = parsed.hostname.toLowerCase().replace(/\.+$/, '')
  const why = hostProblem(withoutBrackets(host), url) ?? domainProblem(withoutBrackets(host), web)
  return why === undefined
    ? { kind: 'ok', url: parsed.href, host: withoutBrackets(host) }
    : refused(why)
}

function domainProblem(host: string, web: WebRules): string | undefined {
  const isIn = (domains: readonly string[]): boolean =>
    patternsOf(domains).some((pattern) => matchesWildcard(pattern, host))
  if (isIn(web.deniedDomains)) return `${host} is a denied domain`
  if (web.allowedDomains.length === 0 || isIn(web.allowedDomains)) return undefined
  return `${host} is not an allowed domain`
}

const compiledLists = new WeakMap<readonly string[], readonly Wildcard[]>()

/** Compiles each list once; lists are immutable. */
function patternsOf(domains: readonly string[]): readonly Wildcard[] {
  const known =
    compiledLists.get(domains) ?? domains.map((domain) => toWildcard(toHostPattern(domain)))
  compiledLists.set(domains, known)
  return known
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}

function refused(why: string): UrlVerdict {
  return { kind: 'refused', why }
}
