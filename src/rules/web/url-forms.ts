import { fold } from '../../shared/fold.ts'
import { decodePercent } from './decode-percent.ts'

/**
 * WEB-02: a URL in the forms by which a rule that denies or asks may mean it, all folded: as written, as it is sent, and
 * without all that spellings differ in: encoding, `//`, dot segments, `;` parameters, final dots, default port, user name,
 * fragment, empty query. Two spellings of one URL have the same settled forms.
 */
export interface UrlForms {
  readonly texts: readonly string[]
  readonly settled: SettledUrl | undefined
}

export interface SettledUrl {
  readonly scheme: string
  /** Without user name; with the port where it is not the scheme's own. */
  readonly authority: string
  /** With and without `;` parameters. */
  readonly paths: readonly string[]
  /** Decoded and folded, in the order of the text; empty ones are left out. */
  readonly parameters: readonly string[]
}

export function toUrlForms(url: string): UrlForms {
  const parsed = url.length > mostCharacters ? null : URL.parse(url)
  if (parsed === null) return { texts: [fold(url)], settled: undefined }
  const { protocol, pathname, search } = parsed
  const host = parsed.hostname.toLowerCase().replace(/\.+$/, '')
  const port = parsed.port === '' ? '' : `:${parsed.port}`
  const authority = `${host}${port}`
  const ownPort = port === '' ? `:${defaultPorts[protocol] ?? ''}` : port
  const paths = [...new Set([settledPath(pathname), settledPath(withoutParameters(pathname))])]
  const parameters = toParameters(search)
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`
  const decoded = fold(decodePercent(`${pathname}${search}`))
  const behind = [`${pathname}${search}`.toLowerCase(), decoded, ...paths.map((at) => at + query)]
  const before = [authority, `${host}${ownPort}`]
  const texts = before.flatMap((name) =>
    behind.flatMap((rest) => [`${protocol}//${name}${rest}`, `${name}${rest}`]),
  )
  const asWritten = [url, parsed.href, parsed.hostname, host, host.replaceAll(/[[\]]/g, '')].map(
    fold,
  )
  return {
    texts: [...new Set([...asWritten, ...texts])],
    settled: { scheme: protocol, authority, paths, parameters },
  }
}

/** Longer ones are never fetched. */
const mostCharacters = 8_192

const defaultPorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

/** Folded, decoded, without empty and dot segments. */
function settledPath(path: string): string {
  return settle(fold(decodePercent(path)).replaceAll('\\', '/'))
}

/** The path of a pattern in the same spelling; its stars stay, and `\` takes the next character as it is. */
export function settledPattern(path: string): string {
  return settle(fold(decodePercent(path.replaceAll(/%5c/gi, '/'))))
}

function settle(path: string): string {
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

/** What a URL parser throws away, or a server takes for a blank. */
const controls = /\p{Cc}/gu

/** `/admin;v=1/users` is `/admin/users`, however the sign is written. */
function withoutParameters(path: string): string {
  return decodePercent(path).replaceAll(/;[^/\\]*/g, '')
}

/** The parts of a query or a query's pattern, with its `?`. */
export function toParameters(query: string): readonly string[] {
  return query
    .replace(/^\?/, '')
    .split('&')
    .map((part) => fold(decodePercent(part.replaceAll('+', ' '))).replaceAll(controls, ''))
    .filter((part) => part !== '')
}

/** A host or a pattern for hosts as names are looked up: ASCII, folded, without dots at its end. */
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
