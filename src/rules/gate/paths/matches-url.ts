import { fold } from '../../../shared/fold.ts'
import { matchesWildcard, toWildcard, type Wildcard } from '../../../util/text/wildcard-match.ts'
import {
  normalisedPattern,
  type SettledUrl,
  toHostPattern,
  toParameters,
  toUrlForms,
  type UrlForms,
} from '../../web/url-forms.ts'
import { matchesText, type Rule } from '../permissions/rule.ts'

/**
 * GATE-06: matches rules against a URL or its host. A rule that denies or asks is tried on every form of the URL, so that no
 * spelling evades it. A rule that allows is matched by URL component on the URL as sent, so that `https://*.example.com/*` does
 * not allow `https://evil.example/.example.com/`, and must also match other readings by servers.
 */
export function urlMatcher(url: string, host: string): (rule: Rule) => boolean {
  const parsed = URL.parse(url)
  let known: UrlForms | undefined
  const forms = (): UrlForms => {
    known ??= toUrlForms(url)
    return known
  }
  return (rule) => {
    if (rule.action !== 'allow') return mayMean(rule, url, forms())
    const { allowed } = patternOf(rule)
    // Some servers treat a name with a final dot as another host.
    if (parsed === null || parsed.hostname.endsWith('.')) return rule.literal === url
    if (allowed === undefined) return matchesText(rule, host)
    const rest = `${parsed.pathname}${parsed.search}${parsed.hash}`
    const isNamed =
      allowed.scheme === parsed.protocol && matchesWildcard(allowed.authority, parsed.host)
    if (!isNamed || !matchesWildcard(allowed.rest, rest)) return false
    if (allowed.rest.literal === rest) return true
    return forms().settled?.paths.every((path) => staysIn(allowed, path, parsed)) === true
  }
}

/** A compiled URL rule, cached by rule. */
interface UrlPattern {
  /** Its spellings, case-folded: as written, and with the decoding of normalised URLs. */
  readonly texts: readonly Wildcard[]
  /** Set if it names a path with a query. */
  readonly query: QueryPattern | undefined
  /** Set if the pattern has a scheme. */
  readonly allowed: AllowedUrls | undefined
}

interface AllowedUrls {
  readonly scheme: string
  readonly authority: Wildcard
  readonly rest: Wildcard
  readonly foldedRest: Wildcard
}

interface QueryPattern {
  readonly place: Wildcard
  readonly parameters: readonly (readonly Wildcard[])[]
  /** A star allows further parameters here. */
  readonly isOpen: boolean
}

const remembered = new WeakMap<Rule, UrlPattern>()

function patternOf(rule: Rule): UrlPattern {
  const known = remembered.get(rule) ?? toUrlPattern(rule.pattern)
  remembered.set(rule, known)
  return known
}

function toUrlPattern(pattern: string): UrlPattern {
  const split = /^(https?:)\/\/([^/?#\\]*)(.*)$/is.exec(pattern)
  const texts = [...new Set([fold(pattern), settledText(pattern)])].map(toWildcard)
  const query = toQueryPattern(pattern)
  if (split === null) return { texts, query, allowed: undefined }
  const [, scheme = '', authority = '', rest = ''] = split
  return {
    texts,
    query,
    allowed: {
      scheme: scheme.toLowerCase(),
      authority: toWildcard(toHostPattern(authority)),
      rest: toWildcard(rest || '/'),
      foldedRest: toWildcard(fold(rest || '/')),
    },
  }
}

/** A pattern in the spelling of normalised URLs; without a scheme, the host is the part before the first slash. */
function settledText(pattern: string): string {
  const { place, query } = partsOf(pattern)
  return query === undefined ? place : `${place}?${toParameters(query).join('&')}`
}

interface PatternParts {
  /** Scheme, authority and path. */
  readonly place: string
  /** The part after `?`, which is literal there and no wildcard. */
  readonly query: string | undefined
}

function partsOf(pattern: string): PatternParts {
  const found = /^((?:https?:|\*)?\/\/)?([^/?#]*)([^?#]*)(?:\?([^#]*))?/is.exec(pattern)
  const [, scheme = '', authority = '', path = '', query] = found ?? []
  const port = { 'https://': /:443$/, 'http://': /:80$/ }[scheme.toLowerCase()]
  const named = authority.replace(/^[^@*]*@/, '').replace(port ?? /$^/, '')
  const host = toHostPattern(named)
  const isWhole = path === '' && (scheme === '' || host.endsWith('*'))
  return {
    place: `${scheme.toLowerCase()}${host}${isWhole ? '' : normalisedPattern(path.replace(/\\$/, ''))}`,
    query,
  }
}

function toQueryPattern(pattern: string): QueryPattern | undefined {
  const { place, query } = partsOf(pattern)
  if (query === undefined || query === '') return undefined
  return {
    place: toWildcard(place),
    parameters: toParameters(query).map((part) => piecesOf(part).map(toWildcard)),
    isOpen: query.includes('*'),
  }
}

/** A star inside may also match `&`; then its two ends belong to some parameters. */
function piecesOf(part: string): readonly string[] {
  const pieces = part.split('*')
  if (pieces.length < 2) return [part]
  const last = pieces.length - 1
  return pieces
    .map((piece, at) => `${at === 0 ? '' : '*'}${piece}${at === last ? '' : '*'}`)
    .filter((piece) => !/^\*+$/.test(piece))
}

function mayMean(rule: Rule, url: string, { texts, settled }: UrlForms): boolean {
  const pattern = patternOf(rule)
  if (matchesText(rule, url)) return true
  if (texts.some((text) => pattern.texts.some((wildcard) => matchesWildcard(wildcard, text)))) {
    return true
  }
  return pattern.query !== undefined && settled !== undefined && asks(pattern.query, settled)
}

/** Whether a URL matches a pattern's path and query, with query parameters in any order. */
function asks(pattern: QueryPattern, url: SettledUrl): boolean {
  const places = url.paths.flatMap((path) => [
    `${url.scheme}//${url.authority}${path}`,
    `${url.authority}${path}`,
  ])
  if (!places.some((place) => matchesWildcard(pattern.place, place))) return false
  if (!pattern.isOpen && new Set(url.parameters).size > pattern.parameters.length) return false
  return pattern.parameters.every((pieces) =>
    pieces.every((piece) => url.parameters.some((parameter) => matchesWildcard(piece, parameter))),
  )
}

/** Whether the path stays allowed if a server decodes it once more. */
function staysIn(allowed: AllowedUrls, path: string, { search, hash }: URL): boolean {
  return matchesWildcard(allowed.foldedRest, fold(`${path}${search}${hash}`))
}
