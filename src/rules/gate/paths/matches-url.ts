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
 * GATE-06: a URL's rules name the URL or its host. One that denies or asks is tried on every form of the URL, so that no
 * spelling evades it. One that allows is tried part by part on the URL as it is sent, so that `https://*.example.com/*` does
 * not allow `https://evil.example/.example.com/`, and must hold for what servers may make of it too.
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
    // A name with a final dot is another one to some servers.
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

/** A rule for URLs, as it is matched; made once a rule. */
interface UrlPattern {
  /** Its spellings, folded: as written, and with all decoded that a URL's settled forms have decoded. */
  readonly texts: readonly Wildcard[]
  /** Where it names a path with a query. */
  readonly query: QueryPattern | undefined
  /** Where the pattern has a scheme. */
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
  /** Whether a star lets further parameters stand there. */
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

/** A pattern in the spelling of settled URLs; of one that names no scheme the host is what stands before the first slash. */
function settledText(pattern: string): string {
  const { place, query } = partsOf(pattern)
  return query === undefined ? place : `${place}?${toParameters(query).join('&')}`
}

interface PatternParts {
  /** Scheme, authority and path. */
  readonly place: string
  /** Behind a `?`, which is the sign itself there and no wildcard. */
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

/** A star within may stand for `&` too: each end of it then is in some parameter. */
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

/** Whether a URL asks for what a pattern names, in whatever order its query has it. */
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

/** What a server may make of a path, by decoding it once more, lies where the rule allows too. */
function staysIn(allowed: AllowedUrls, path: string, { search, hash }: URL): boolean {
  return matchesWildcard(allowed.foldedRest, fold(`${path}${search}${hash}`))
}
