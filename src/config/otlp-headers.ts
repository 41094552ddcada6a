export type OtlpHeaders =
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'fault'; readonly message: string }

/**
 * `key=value,key=value` with the values percent-encoded: the form that OpenTelemetry gives OTEL_EXPORTER_OTLP_HEADERS, W3C Baggage
 * without properties (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). A fault shows nothing of the text.
 */
export function parseOtlpHeaders(text: string): OtlpHeaders {
  const headers = new Map<string, string>()
  const names = new Set<string>()
  for (const [index, entry] of text.split(',').entries()) {
    const { name, value } = split(entry)
    const lowerName = name.toLowerCase()
    const problem = names.has(lowerName) ? 'has the name of another' : faultOf(name, value)
    if (problem !== undefined) return fault(`header ${index + 1} ${problem}`)
    names.add(lowerName)
    headers.set(name, decodeURIComponent(value))
  }
  return { kind: 'headers', headers: Object.fromEntries(headers) }
}

/** What must not be seen of them: each value as written and as meant, and the credential that follows the name of its scheme. */
export function secretsOfOtlpHeaders(text: string): readonly string[] {
  const parsed = parseOtlpHeaders(text)
  const meant = parsed.kind === 'headers' ? Object.values(parsed.headers) : []
  const written = text.split(',').map((entry) => split(entry).value)
  return [...written, ...meant, ...meant.map((value) => value.replace(/^\w+ +/, ''))]
}

function split(entry: string): { readonly name: string; readonly value: string } {
  const at = entry.indexOf('=')
  if (at < 0) return { name: '', value: entry.trim() }
  return { name: entry.slice(0, at).trim(), value: entry.slice(at + 1).trim() }
}

function fault(problem: string): OtlpHeaders {
  return { kind: 'fault', message: `expected key=value,key=value: ${problem}` }
}

function faultOf(name: string, value: string): string | undefined {
  if (name === '') return 'has no name; a comma in a value is written %2C'
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'has a name that HTTP does not know'
  if (value === '') return 'has no value'
  if (value.includes(';')) return 'holds a semicolon, which is written %3B'
  const decoded = decode(value)
  if (decoded === undefined) return 'holds a % that encodes nothing; it is written %25'
  return /^[\t\x20-\x7e]+$/.test(decoded) ? undefined : 'holds what a header cannot carry'
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
