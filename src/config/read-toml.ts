import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser'
import type { ConfigProblem } from './problems.ts'
import type { Path } from './shape.ts'

/** A file nested deeper than this is refused. */
const maxDepth = 32

export type Table = { [key: string]: unknown }

/** A parsed TOML file as plain tables, with line numbers by path. */
export type TomlFile =
  | { readonly kind: 'ok'; readonly tree: Table; readonly lineOf: (path: Path) => number }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] }

/** A larger configuration is a mistake. */
const maxBytes = 1_048_576

/** Reads TOML 1.1; an empty header `[x]` right before `[[x]]` is ignored. Never throws. */
export function readToml(bytes: Uint8Array, source: string): TomlFile {
  const text = decode(bytes)
  if (typeof text !== 'string') return { kind: 'invalid', problems: [{ source, ...text }] }
  try {
    const file = parse(text)
    const places = [...placesOf(file)]
    const forbidden = places.find(({ path }) => path.includes('__proto__'))
    if (forbidden) {
      return invalid({ source, line: forbidden.line, message: 'there is no key "__proto__"' })
    }
    return { kind: 'ok', tree: getStaticTOMLValue(file), lineOf: createLineFinder(places) }
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

/** Limit of empty headers removed from one file. */
const maxEmpty = 100

/**
 * TOML forbids an array of tables with the name of a table. Such an empty table header is blanked, so that line numbers stay the
 * same.
 */
function parse(text: string): AST.TOMLProgram {
  let rest = text
  for (let taken = 0; ; taken += 1) {
    try {
      return parseTOML(rest, { tomlVersion: '1.1' })
    } catch (error) {
      const without =
        error instanceof ParseError && taken < maxEmpty
          ? withoutEmptyHeader(rest.split('\n'), error.lineNumber - 1)
          : undefined
      if (without === undefined) throw error
      rest = without.join('\n')
    }
  }
}

/** Removes the empty header `[x]` before the header `[[x]]` in line `at` (from 0); undefined if there is no such pair. */
function withoutEmptyHeader(lines: readonly string[], at: number): readonly string[] | undefined {
  const before = lines.findLastIndex((line, index) => index < at && !/^[ \t]*(#.*)?\r?$/.test(line))
  const list = headerIn(lines[at] ?? '')
  const table = headerIn(lines[before] ?? '')
  if (list?.kind !== 'array' || table?.kind !== 'standard') return undefined
  if (String(keysOf(list.key)) !== String(keysOf(table.key))) return undefined
  return lines.with(before, '')
}

function headerIn(line: string): AST.TOMLTable | undefined {
  if (!line.trimStart().startsWith('[')) return undefined
  try {
    const [node] = parseTOML(line).body[0].body
    return node?.type === 'TOMLTable' ? node : undefined
  } catch {
    return undefined
  }
}

interface Place {
  readonly path: Path
  readonly line: number
}

/** Yields the path and line of each header, assignment and list element. */
function* placesOf(file: AST.TOMLProgram): Generator<Place> {
  for (const node of file.body[0].body) {
    if (node.type === 'TOMLKeyValue') yield* placesInAssignment([], node)
    else {
      const { line } = node.loc.start
      if (node.resolvedKey.length > maxDepth) throw new RefusedValue(line, tooDeep)
      yield { path: node.resolvedKey, line }
      for (const assignment of node.body) yield* placesInAssignment(node.resolvedKey, assignment)
    }
  }
}

function* placesInAssignment(base: Path, { key, value, loc }: AST.TOMLKeyValue): Generator<Place> {
  const path = [...base, ...keysOf(key)]
  yield { path, line: loc.start.line }
  yield* placesInValue(path, value)
}

function* placesInValue(path: Path, value: AST.TOMLContentNode): Generator<Place> {
  const { line } = value.loc.start
  if (path.length > maxDepth) throw new RefusedValue(line, tooDeep)
  if (
    value.type === 'TOMLValue' &&
    value.kind === 'integer' &&
    !Number.isSafeInteger(value.value)
  ) {
    throw new RefusedValue(line, 'an integer is beyond 2^53 and would be rounded')
  }
  if (value.type === 'TOMLInlineTable') {
    for (const assignment of value.body) yield* placesInAssignment(path, assignment)
  } else if (value.type === 'TOMLArray') {
    for (const [index, element] of value.elements.entries()) {
      yield { path: [...path, index], line: element.loc.start.line }
      yield* placesInValue([...path, index], element)
    }
  }
}

function keysOf({ keys }: AST.TOMLKey): readonly string[] {
  return keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value))
}

const tooDeep = `something lies more than ${maxDepth} levels deep`

class RefusedValue extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

function toFault(error: unknown): TextFault {
  if (error instanceof RefusedValue) return { line: error.line, message: error.message }
  if (!(error instanceof ParseError)) return { message: 'is not TOML' }
  return { line: error.lineNumber, message: `is not TOML: ${error.message}` }
}

/** Creates a function that returns the line of a path, or of its closest known ancestor. */
function createLineFinder(places: readonly Place[]): (path: Path) => number {
  const lines = new Map<string, number>()
  for (const { path, line } of places) remember(lines, path, line)
  return (path) => lineIn(lines, path)
}
/** Records the line of a path, and of its parent tables if not yet known. */
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
