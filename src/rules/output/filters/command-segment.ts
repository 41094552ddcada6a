/** The command of a line that produced the output. */
export interface CommandSegment {
  readonly command: string
  /** Whether the exit code of the line is this command's: false after `|` or `||`, with `!`, or in the background. */
  readonly ownsExitCode: boolean
  /** Whether an earlier command may have failed unnoticed: one not joined by `&&` that does more than set something. */
  readonly mayFollowFailure: boolean
}

/**
 * The command after the last `&&`, `;`, `&` or line end, without redirections and without the commands it is piped into
 * (OUT-03). Quotes, escapes and `$(…)` are skipped. The result chooses a filter and protects nothing, so an approximation of
 * shell syntax is enough.
 */
export function lastSegment(commandLine: string): CommandSegment {
  const segments = new Segments()
  let at = 0
  while (at < commandLine.length) at = readOne(commandLine, at, segments)
  return segments.last()
}

/** Commands that only prepare those after them. If one fails, its message is at the start of the output. */
const preparation =
  /^(?:(?:cd|pushd|popd|export|unset|set|shopt|umask|ulimit|alias|true|:|echo|printf|sleep|clear)(?: |$)|(?:source|\.) (?:\S*\/)?activate$|[A-Za-z_]\w*=\S*$)/
/** Constructs that run a nested command. */
const substitution = /\$\(|`|<\(/

class Segments {
  #parts: string[] = []
  #isPiped = false
  #last: CommandSegment = { command: '', ownsExitCode: true, mayFollowFailure: false }
  /** Whether a command of the current `&&` chain may fail, and whether an earlier chain may have failed unnoticed. */
  #mayFail = false
  #mayHaveFailed = false

  add(text: string): void {
    if (!this.#isPiped) this.#parts.push(text)
  }

  pipe(): void {
    this.#isPiped = true
  }

  /** Removes the number of a redirected stream (`2>`). */
  dropDigits(): void {
    while (/^[0-9&]$/.test(this.#parts.at(-1) ?? '')) this.#parts.pop()
  }

  /** Ends a command. After `&&` the next one runs only on success; after `&` the exit code is lost. */
  end(by: '&&' | '&' | ';'): void {
    const { command, isNegated } = withoutGroup(this.#parts.join(''))
    const ownsExitCode = !this.#isPiped && !isNegated && by !== '&'
    if (command !== '') {
      this.#last = { command, ownsExitCode, mayFollowFailure: this.#mayHaveFailed }
      this.#mayFail ||= this.#isPiped || substitution.test(command) || !preparation.test(command)
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

/** Removes parentheses and braces of a group. */
function withoutGroup(text: string): { readonly command: string; readonly isNegated: boolean } {
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

/** Reads one token at `at`; returns the offset of the next. */
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

/** Handles `|`, `|&` and `||`: the output is ascribed to the first command, whose exit code is unknown. */
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

/** End of a redirection: operator, blanks and target. */
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
