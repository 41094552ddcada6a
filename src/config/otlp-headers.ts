export type OtlpHeaders =
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'fault'; readonly message: string }

/**
 * Parses `key=value,key=value` with percent-encoded values: the format of OpenTelemetry's OTEL_EXPORTER_OTLP_HEADERS, W3C Baggage
 * without properties (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). Errors do not repeat the text.
 */
export function parseOtlpHeaders(text: string): OtlpHeaders {
  const headers = new Map<string, string>()
  const names = new Set<string>()
  for (const [index, entry] of entriesOf(text).entries()) {
    const { name, value } = split(entry)
    const lowerName = name.toLowerCase()
    const problem = names.has(lowerName) ? 'has the name of another' : faultOf(name, value)
    if (problem !== undefined) return fault(`header ${index + 1} ${problem}`)
    names.add(lowerName)
    headers.set(name, decodeURIComponent(value))
  }
  return { kind: 'headers', headers: Object.fromEntries(headers) }
}

/** Ordinary words are shorter: if `production` counted as a secret, it would be redacted everywhere. */
const shortestToken = 16
const credentialName = /authorization|key|token|secret|password|cookie/i

/** Secrets to redact: values that look like a credential by name or length, in all their forms, and the whole text. */
export function secretsOfOtlpHeaders(text: string): readonly string[] {
  const values = entriesOf(text).flatMap((entry) => {
    const { name, value } = split(entry)
    const forms = formsOf(value)
    return credentialName.test(name) ? forms : forms.filter(({ length }) => length >= shortestToken)
  })
  return values.length === 0 ? [] : [text, ...values]
}

/** A value as written, decoded, and without its authentication scheme. */
function formsOf(value: string): readonly string[] {
  const meant = decode(value) ?? value
  return [value, meant, meant.replace(/^\w+ +/, '')]
}

/** Empty entries are ignored, as in OpenTelemetry's own parser. */
function entriesOf(text: string): readonly string[] {
  return text.split(',').filter((entry) => entry.trim() !== '')
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
