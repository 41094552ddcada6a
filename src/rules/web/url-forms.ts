import { fold } from '../../shared/fold.ts'
import { decodePercent } from './decode-percent.ts'

/**
 * A URL in all forms that a rule for denying or asking may be written for, case-folded: as written, as sent, and normalised,
 * which removes differences in encoding, `//`, dot segments, `;` parameters, trailing dots, default port, user name, fragment
 * and empty query (WEB-02). Two spellings of one URL have the same `settled` forms.
 */
export interface UrlForms {
  readonly texts: readonly string[]
  readonly settled: SettledUrl | undefined
}

export interface SettledUrl {
  readonly scheme: string
  /** Without user name; with a port only if it is not the default one. */
  readonly authority: string
  /** With and without `;` parameters. */
  readonly paths: readonly string[]
  /** Decoded and folded, in order, without empty ones. */
  readonly parameters: readonly string[]
}

export function toUrlForms(url: string): UrlForms {
  const parsed = url.length > maxUrlCharacters ? null : URL.parse(url)
  if (parsed === null) return { texts: [fold(url)], settled: undefined }
  const { protocol, pathname, search } = parsed
  const host = parsed.hostname.toLowerCase().replace(/\.+$/, '')
  const port = parsed.port === '' ? '' : `:${parsed.port}`
  const authority = `${host}${port}`
  const ownPort = port === '' ? `:${defaultPorts[protocol] ?? ''}` : port
  const paths = [
    ...new Set([normalisedPath(pathname), normalisedPath(withoutParameters(pathname))]),
  ]
  const parameters = toParameters(search)
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`
  const decoded = fold(decodePercent(`${pathname}${search}`))
  const suffixes = [`${pathname}${search}`.toLowerCase(), decoded, ...paths.map((at) => at + query)]
  const prefixes = [authority, `${host}${ownPort}`]
  const texts = prefixes.flatMap((name) =>
    suffixes.flatMap((rest) => [`${protocol}//${name}${rest}`, `${name}${rest}`]),
  )
  const asWritten = [url, parsed.href, parsed.hostname, host, host.replaceAll(/[[\]]/g, '')].map(
    fold,
  )
  return {
    texts: [...new Set([...asWritten, ...texts])],
    settled: { scheme: protocol, authority, paths, parameters },
  }
}

/** Longer URLs are never fetched. */
const maxUrlCharacters = 8_192

const defaultPorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

/** Folded and decoded, without empty and dot segments. */
function normalisedPath(path: string): string {
  return normalise(fold(decodePercent(path)).replaceAll('\\', '/'))
}

/** Normalises the path of a pattern: stars stay, and `\` escapes the next character. */
export function normalisedPattern(path: string): string {
  return normalise(fold(decodePercent(path.replaceAll(/%5c/gi, '/'))))
}

function normalise(path: string): string {
  const plain = path.replaceAll(controls, '')
  const segments: string[] = []
  for (const segment of plain.split('/')) {
    const name = segment.trim().replace(/^(\.{1,2})[;\s].*$/, '$1')
    if (name === '..') segments.pop()
    else if (name !== '' && name !== '.') segments.push(segment)
  }
  const end = /\/[\s.]*$/.test(plain) && segments.length > 0 ? '/' : ''
  return `/${segments.join('/')}${end}`
}

/** Characters that a URL parser drops or a server treats as a blank. */
const controls = /\p{Cc}/gu

/** Removes path parameters: `/admin;v=1/users` becomes `/admin/users`, also if the `;` is encoded. */
function withoutParameters(path: string): string {
  return decodePercent(path).replaceAll(/;[^/\\]*/g, '')
}

/** Splits a query, or a pattern for one, into parameters. A leading `?` is ignored. */
export function toParameters(query: string): readonly string[] {
  return query
    .replace(/^\?/, '')
    .split('&')
    .map((part) => fold(decodePercent(part.replaceAll('+', ' '))).replaceAll(controls, ''))
    .filter((part) => part !== '')
}

/** Normalises a host, or a pattern for hosts: ASCII, folded, without trailing dots. */
export function toHostPattern(pattern: string): string {
  if (pattern.startsWith('[')) return URL.parse(`https://${pattern}/`)?.hostname ?? fold(pattern)
  const plain = decodePercent(pattern).replaceAll(/[。．｡]/g, '.')
  return withoutFinalDots(plain).split('.').map(toAsciiLabel).join('.')
}

function withoutFinalDots(host: string): string {
  return host.replace(/([^*?.])\.+$/, '$1')
}

function toAsciiLabel(label: string): string {
  if (/^[\x20-\x7e]*$/.test(label) || /[*?\\]/.test(label)) return fold(label)
  return URL.parse(`https://${label}/`)?.hostname ?? fold(label)
}
