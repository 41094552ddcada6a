import type { Path } from './shape.ts'

/** One header or assignment of a TOML text; `start` and `end` are offsets, lines count from 1. */
export interface Statement {
  readonly kind: 'table' | 'list' | 'value'
  /** As written: relative to the header above for values. */
  readonly path: readonly string[]
  readonly line: number
  readonly start: number
  readonly end: number
  /** What lies in the value of an assignment: inline tables and lists. */
  readonly inner: readonly { readonly path: Path; readonly line: number }[]
}

/**
 * The statements of a text with their places, which the TOML parser does not tell. Takes any text in
 * linear time and never throws; what is no TOML gives statements that mean nothing.
 */
export function scanToml(text: string): readonly Statement[] {
  const cursor = new Cursor(text)
  const statements: Statement[] = []
  for (cursor.skipBlank(); !cursor.atEnd; cursor.skipBlank()) {
    const start = cursor.at
    statements.push(cursor.peek('[') ? scanHeader(cursor) : scanAssignment(cursor))
    cursor.skipLine()
    if (cursor.at === start) cursor.skip(1)
  }
  return statements
}

/** Deeper values are not looked into. */
const maxDepth = 32

type Inner = { path: Path; line: number }[]

function scanHeader(cursor: Cursor): Statement {
  const { line, at: start } = cursor
  const kind = cursor.peek('[[') ? 'list' : 'table'
  cursor.skip(kind === 'list' ? 2 : 1)
  const path = scanKey(cursor)
  if (cursor.peek(']')) cursor.skip(kind === 'list' ? 2 : 1)
  return { kind, path, line, start, end: cursor.at, inner: [] }
}

function scanAssignment(cursor: Cursor): Statement {
  const { line, at: start } = cursor
  const path = scanKey(cursor)
  const inner: Inner = []
  if (cursor.peek('=')) {
    cursor.skip(1)
    cursor.skipSpaces()
    scanValue(cursor, [], inner)
  }
  return { kind: 'value', path, line, start, end: cursor.at, inner }
}

function scanKey(cursor: Cursor): string[] {
  const path: string[] = []
  do {
    if (cursor.peek('.')) cursor.skip(1)
    cursor.skipSpaces()
    path.push(cursor.takeKeyPart())
    cursor.skipSpaces()
  } while (cursor.peek('.'))
  return path
}

function scanValue(cursor: Cursor, path: Path, inner: Inner): void {
  if (path.length > maxDepth) cursor.skipLine()
  else if (cursor.peek('[')) scanList(cursor, path, inner)
  else if (cursor.peek('{')) scanInlineTable(cursor, path, inner)
  else if (!cursor.takeQuoted()) cursor.skipBare()
}

function scanList(cursor: Cursor, path: Path, inner: Inner): void {
  cursor.skip(1)
  for (let index = 0; ; index++) {
    cursor.skipBlank()
    if (cursor.atEnd || cursor.peek(']')) break
    const before = cursor.at
    inner.push({ path: [...path, index], line: cursor.line })
    scanValue(cursor, [...path, index], inner)
    cursor.skipBlank()
    if (cursor.peek(',')) cursor.skip(1)
    if (cursor.at === before) break
  }
  if (cursor.peek(']')) cursor.skip(1)
}

function scanInlineTable(cursor: Cursor, path: Path, inner: Inner): void {
  cursor.skip(1)
  for (cursor.skipBlank(); !cursor.atEnd && !cursor.peek('}'); cursor.skipBlank()) {
    const before = cursor.at
    const { line } = cursor
    const key = [...path, ...scanKey(cursor)]
    inner.push({ path: key, line })
    if (cursor.peek('=')) cursor.skip(1)
    cursor.skipSpaces()
    scanValue(cursor, key, inner)
    cursor.skipBlank()
    if (cursor.peek(',')) cursor.skip(1)
    if (cursor.at === before) break
  }
  if (cursor.peek('}')) cursor.skip(1)
}

/** A place in the text that knows its line. */
class Cursor {
  readonly #text: string
  at = 0
  line = 1

  constructor(text: string) {
    this.#text = text
  }

  get atEnd(): boolean {
    return this.at >= this.#text.length
  }

  peek(wanted: string): boolean {
    return this.#text.startsWith(wanted, this.at)
  }

  skip(count: number): void {
    this.#moveTo(this.at + count)
  }

  skipSpaces(): void {
    this.#take(/[ \t]*/uy)
  }

  /** White space, line ends and comments. */
  skipBlank(): void {
    this.#take(/(?:[ \t\r\n]|#[^\n]*)*/uy)
  }

  skipLine(): void {
    this.#take(/[^\n]*/uy)
  }

  skipBare(): void {
    this.#take(/[^,\]}#\r\n]*/uy)
  }

  takeKeyPart(): string {
    const quoted = this.takeQuoted()
    return quoted ? unquoted(quoted) : this.#take(/[^\s.=[\]{}"',#]*/uy)
  }

  /** A string of any of the four kinds, with its quotes; an unfinished one ends with its line, or with the text. */
  takeQuoted(): string {
    for (const quote of ['"""', "'''"]) if (this.peek(quote)) return this.#takeBlock(quote)
    return this.#take(/"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|/uy)
  }

  #takeBlock(quote: string): string {
    const body = quote === '"""' ? /"""(?:\\.|[^\\])*?(?:"{3,5}|$)/suy : /'''.*?(?:'{3,5}|$)/suy
    return this.#take(body)
  }

  #take(form: RegExp): string {
    form.lastIndex = this.at
    const taken = form.exec(this.#text)?.[0] ?? ''
    this.#moveTo(this.at + taken.length)
    return taken
  }

  #moveTo(at: number): void {
    const end = Math.min(at, this.#text.length)
    for (let index = this.at; index < end; index++) if (this.#text[index] === '\n') this.line++
    this.at = end
  }
}

function unquoted(quoted: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}
