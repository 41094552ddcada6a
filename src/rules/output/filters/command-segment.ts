/** The part of a command line that output is ascribed to. */
export interface CommandSegment {
  readonly command: string
  /** Whether the exit code is this command's own: not that of a `|` or `||` behind it, nor turned round by `!`, nor left behind by `&`. */
  readonly ownsExitCode: boolean
  /** Whether a command before it may have failed all the same: one that `&&` does not join to it, and that does something. */
  readonly mayFollowFailure: boolean
}

/**
 * OUT-03: what stands behind the last `&&`, `;`, `&` or line end, without redirections and without what it is piped
 * into. Quotes, escapes and `$(…)` are looked past. It chooses a filter and guards nothing, so it need not be a shell.
 */
export function lastSegment(commandLine: string): CommandSegment {
  const segments = new Segments()
  let at = 0
  while (at < commandLine.length) at = readOne(commandLine, at, segments)
  return segments.last()
}

/** What sets something for the commands behind it; a word of its own about a failure would be the first of the output. */
const harmless =
  /^(?:(?:cd|pushd|popd|export|unset|set|shopt|umask|ulimit|alias|true|:|echo|printf|sleep|clear)(?: |$)|(?:source|\.) (?:\S*\/)?activate$|[A-Za-z_]\w*=\S*$)/
/** What runs a command within another. */
const substitution = /\$\(|`|<\(/

class Segments {
  #parts: string[] = []
  #isPiped = false
  #last: CommandSegment = { command: '', ownsExitCode: true, mayFollowFailure: false }
  /** Whether a command of this chain of `&&` may fail; and whether one did before it, which nothing tells of. */
  #mayFail = false
  #mayHaveFailed = false

  add(text: string): void {
    if (!this.#isPiped) this.#parts.push(text)
  }

  pipe(): void {
    this.#isPiped = true
  }

  /** Takes back what was the number of a redirected stream (`2>`). */
  dropDigits(): void {
    while (/^[0-9&]$/.test(this.#parts.at(-1) ?? '')) this.#parts.pop()
  }

  /** By `&&`: what comes next runs only if this went well. By `&`: its exit code is nobody's. */
  end(by: '&&' | '&' | ';'): void {
    const { command, isNegated } = tidy(this.#parts.join(''))
    const ownsExitCode = !this.#isPiped && !isNegated && by !== '&'
    if (command !== '') {
      this.#last = { command, ownsExitCode, mayFollowFailure: this.#mayHaveFailed }
      this.#mayFail ||= this.#isPiped || substitution.test(command) || !harmless.test(command)
    }
    if (this.#mayFail && !(by === '&&' && ownsExitCode)) this.#mayHaveFailed = true
    this.#parts = []
    this.#isPiped = false
  }

  last(): CommandSegment {
    this.end(';')
    return this.#last
  }
}

/** A group's parentheses and braces are none of the command's. */
function tidy(text: string): { readonly command: string; readonly isNegated: boolean } {
  const opened = text.replace(/^[\s({!]+/, '')
  const before = text.slice(0, text.length - opened.length)
  const closes = /[({]/.test(before) || !/[({]/.test(opened)
  const command = closes ? withoutClosing(opened) : opened
  return { command: command.trim().replace(/[ \t]+/g, ' '), isNegated: before.includes('!') }
}

function withoutClosing(text: string): string {
  let end = text.length
  while (end > 0 && /[\s)}]/.test(text[end - 1] ?? '')) end -= 1
  return text.slice(0, end)
}

/** Reads what stands at `at`; answers where the next begins. */
function readOne(line: string, at: number, segments: Segments): number {
  const character = line[at] ?? ''
  if (character === '\\' || character === "'" || character === '"' || character === '`') {
    const end = wordPartEnd(line, at)
    segments.add(line.slice(at, end))
    return end
  }
  if (character === '$' && line[at + 1] === '(') {
    const end = substitutionEnd(line, at + 2)
    segments.add(line.slice(at, end))
    return end
  }
  if (character === '>' || character === '<' || (character === '&' && line[at + 1] === '>')) {
    segments.dropDigits()
    return redirectionEnd(line, at)
  }
  if (character === '|') return pipeEnd(line, at, segments)
  if (character === '#' && isWordStart(line, at)) return lineEnd(line, at)
  if (character === ';' || character === '\n' || character === '&') {
    const isChained = line.startsWith('&&', at)
    if (isChained) segments.end('&&')
    else segments.end(character === '&' ? '&' : ';')
    return at + (isChained ? 2 : 1)
  }
  segments.add(character)
  return at + 1
}

/** `a || b` prints what both print; the first is what it is about, and its exit code is not known. */
function pipeEnd(line: string, at: number, segments: Segments): number {
  segments.pipe()
  return line[at + 1] === '|' || line[at + 1] === '&' ? at + 2 : at + 1
}

function wordPartEnd(line: string, at: number): number {
  const quote = line[at] ?? ''
  if (quote === '\\') return at + 2
  let end = at + 1
  while (end < line.length && line[end] !== quote) {
    end += quote !== "'" && line[end] === '\\' ? 2 : 1
  }
  return Math.min(end + 1, line.length)
}

function substitutionEnd(line: string, from: number): number {
  let depth = 1
  let at = from
  while (at < line.length && depth > 0) {
    const character = line[at] ?? ''
    if (`\\'"\``.includes(character)) {
      at = wordPartEnd(line, at)
      continue
    }
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    at += 1
  }
  return Math.min(at, line.length)
}

/** Past the operator, blanks, and the word behind it. */
function redirectionEnd(line: string, from: number): number {
  let at = from
  while (at < line.length && '<>&|'.includes(line[at] ?? '')) at += 1
  while (line[at] === ' ' || line[at] === '\t') at += 1
  while (at < line.length && !/[\s;&|<>()]/.test(line[at] ?? '')) {
    at = `\\'"\``.includes(line[at] ?? '') ? wordPartEnd(line, at) : at + 1
  }
  return at
}

function isWordStart(line: string, at: number): boolean {
  return at === 0 || /\s/.test(line[at - 1] ?? '')
}

function lineEnd(line: string, at: number): number {
  const end = line.indexOf('\n', at)
  return end === -1 ? line.length : end
}
