import { parse, TomlError } from 'smol-toml'
import type { ConfigProblem } from './problems.ts'
import { type Statement, scanToml } from './scan-toml.ts'
import type { Path } from './shape.ts'

/** Longer keys are nobody's; their places are not kept. */
const maxLength = 32

export type Table = { [key: string]: unknown }

/** A TOML file as plain tables, with a way back to its lines. */
export type TomlFile =
  | { readonly kind: 'ok'; readonly tree: Table; readonly lineOf: (path: Path) => number }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] }

/** A configuration larger than this is a mistake. */
const maxBytes = 1_048_576

/** Reads TOML; an empty header `[x]` right before `[[x]]` counts as not written. Never throws. */
export function readToml(bytes: Uint8Array, source: string): TomlFile {
  const text = decode(bytes)
  if (typeof text !== 'string') return { kind: 'invalid', problems: [{ source, ...text }] }
  const statements = scanToml(text)
  try {
    const tree = parse(withoutEmptyHeaders(text, statements))
    const forbidden = statements.find(({ path, inner }) =>
      [path, ...inner.map((place) => place.path)].some((key) => key.includes('__proto__')),
    )
    if (forbidden) {
      return invalid({ source, line: forbidden.line, message: 'there is no key "__proto__"' })
    }
    return { kind: 'ok', tree, lineOf: createLineFinder(statements) }
  } catch (error) {
    return invalid({ source, ...toFault(error) })
  }
}

type TextFault = Pick<ConfigProblem, 'line' | 'message'>

function invalid(problem: ConfigProblem): TomlFile {
  return { kind: 'invalid', problems: [problem] }
}

function decode(bytes: Uint8Array): string | TextFault {
  if (bytes.length > maxBytes) return { message: 'is larger than 1 MiB' }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { message: 'is not UTF-8 text' }
  }
}

/** TOML forbids to open a list of tables under the name of a table; blanks keep every line in its place. */
function withoutEmptyHeaders(text: string, statements: readonly Statement[]): string {
  const pieces: string[] = []
  let done = 0
  for (const [index, statement] of statements.entries()) {
    const next = statements[index + 1]
    if (statement.kind !== 'table' || next?.kind !== 'list') continue
    if (JSON.stringify(statement.path) !== JSON.stringify(next.path)) continue
    pieces.push(text.slice(done, statement.start), ' '.repeat(statement.end - statement.start))
    done = statement.end
  }
  return [...pieces, text.slice(done)].join('')
}

/** The parser's message quotes the file, which may hold what nobody should read; only its first line is told. */
function toFault(error: unknown): TextFault {
  if (!(error instanceof TomlError)) return { message: 'is not TOML' }
  const message = error.message.replace('Invalid TOML document: ', '').split('\n', 1).join('')
  return { line: error.line, message: `is not TOML: ${message}` }
}

/** Answers the line of what stands at a path, or of the nearest thing around it. */
function createLineFinder(statements: readonly Statement[]): (path: Path) => number {
  const lines = new Map<string, number>()
  const counts = new Map<string, number>()
  let header: Path = []
  for (const statement of statements) {
    if (statement.path.length > maxLength) continue
    if (statement.kind !== 'value') header = openHeader(statement, counts)
    const path = statement.kind === 'value' ? [...header, ...statement.path] : header
    remember(lines, path, statement.line)
    for (const inner of statement.inner) {
      lines.set(JSON.stringify([...path, ...inner.path]), inner.line)
    }
  }
  return (path) => lineIn(lines, path)
}

/** The path a header opens, with the index of the last entry wherever a list of tables is passed. */
function openHeader(statement: Statement, counts: Map<string, number>): Path {
  const path: (string | number)[] = []
  for (const [index, name] of statement.path.entries()) {
    path.push(name)
    const key = JSON.stringify(path)
    const opens = statement.kind === 'list' && index === statement.path.length - 1
    if (opens) counts.set(key, (counts.get(key) ?? 0) + 1)
    const count = counts.get(key)
    if (count !== undefined) path.push(count - 1)
  }
  return path
}

/** A place and, where they were not yet seen, the tables around it. */
function remember(lines: Map<string, number>, path: Path, line: number): void {
  lines.set(JSON.stringify(path), line)
  for (let length = path.length - 1; length > 0; length--) {
    const around = JSON.stringify(path.slice(0, length))
    if (!lines.has(around)) lines.set(around, line)
  }
}

function lineIn(lines: ReadonlyMap<string, number>, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(JSON.stringify(path.slice(0, length)))
    if (line !== undefined) return line
  }
  return 1
}
