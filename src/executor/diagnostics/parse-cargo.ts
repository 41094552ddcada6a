/** Maximum length of a message in characters. */
const longestMessage = 2000

/**
 * Parses `cargo check --message-format=json`, one JSON object a line. Returns unique errors and warnings (a library and
 * its tests repeat them). https://doc.rust-lang.org/cargo/reference/external-tools.html
 */
export function parseCargo(output: string): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>()
  for (const line of output.split('\n')) {
    const diagnostic = parseLine(line)
    if (diagnostic !== undefined) found.set(JSON.stringify(Object.values(diagnostic)), diagnostic)
  }
  return [...found.values()]
}

type Fields = Readonly<Record<string, unknown>>

function parseLine(line: string): Diagnostic | undefined {
  const record = toFields(tryParse(line))
  if (record['reason'] !== 'compiler-message') return undefined
  const message = toFields(record['message'])
  const { level, message: text } = message
  if ((level !== 'error' && level !== 'warning') || typeof text !== 'string') return undefined
  const code = toFields(message['code'])['code']
  const span = primarySpan(message['spans'])
  // "3 warnings emitted" and "aborting due to …" only summarise other messages.
  if (span === undefined && /^\d+ warnings? emitted|^aborting due to/.test(text)) return undefined
  return {
    severity: level,
    message: toMessage(typeof code === 'string' ? `${text} [${code}]` : text),
    file: textOf(span?.['file_name']),
    line: numberOf(span?.['line_start']),
    col: numberOf(span?.['column_start']),
  }
}

function primarySpan(spans: unknown): Fields | undefined {
  if (!Array.isArray(spans)) return undefined
  const all = spans.map(toFields)
  return all.find((span) => span['is_primary'] === true) ?? all[0]
}

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined
}

/** Message of a compiler about a project (FILE-09). */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** Path as printed by the compiler, absolute or relative to the project; undefined if it concerns the project. */
  readonly file: string | undefined
  /** Position, counted from 1. */
  readonly line: number | undefined
  readonly col: number | undefined
}

export function toMessage(text: string): string {
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage)}…`
}
