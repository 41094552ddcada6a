import { arithmeticAt } from './arithmetic-value.ts'
import { delimiterOf, documentAt, type HereDocument } from './here-document.ts'
import { type HereText, hereTextAt } from './here-text.ts'
import { changedValue, isPlainDollar, tab } from './word-hazards.ts'

/** A token of a command with its position. */
export interface Token {
  /** `number`: a descriptor directly before a redirection. */
  readonly kind: 'word' | 'number' | 'operator'
  readonly pos: number
  readonly end: number
  /** The source text; a line end is the operator `\n`. */
  readonly text: string
}

/** The tokens of a command, and those of each `$(…)` by the index of its `$`. */
export interface Lexed {
  readonly tokens: readonly Token[]
  readonly inner: ReadonlyMap<number, readonly Token[]>
  /** The literal texts written as `$(cat <<'EOF' …)`, which have no tokens, by the same index. */
  readonly texts: ReadonlyMap<number, HereText>
  /** Here-documents outside substitutions, by the index of their delimiter word. */
  readonly documents: ReadonlyMap<number, HereDocument>
  /** Number of parentheses, braces and here-documents that start outside quotes. */
  readonly openings: number
}

const operators = ';;& &>> <<< <<- ;; ;& && || ;; |& &> >> >& >| << <& <> | & ; < > ( )'.split(' ')
const maxDepth = 20
/** Characters without special meaning. */
const plainRun = /[^ \t\n|&;<>()`\\'"$]+/y
const plainExpansion = /\$(?:\{#?[A-Za-z_]\w*\}|[A-Za-z_]\w*|[?#$!@*0-9-])/y
const quotedExpansion = new RegExp(String.raw`\$${changedValue}`, 'y')

/**
 * Our own lexer, independent of the parser: blanks, quotes, comments, operators, `$name`, `${name}`, `$(…)`, sums of numbers and
 * here-documents. Undefined for anything else (backticks, `$'…'`, open quotes): such a command asks.
 */
export function lex(text: string): Lexed | undefined {
  const lexer = new Lexer(text)
  const tokens = lexer.list(0)
  const isRead = tokens !== undefined && lexer.at >= text.length && lexer.isClosed
  return isRead ? { tokens, ...lexer.found, openings: lexer.openings } : undefined
}

class Lexer {
  readonly found = {
    inner: new Map<number, readonly Token[]>(),
    texts: new Map<number, HereText>(),
    documents: new Map<number, HereDocument>(),
  }
  at = 0
  openings = 0
  readonly #text: string
  /** Here-documents of this line, whose texts start on the next one. */
  #opened: { readonly pos: number; readonly delimiter: string; readonly strips: boolean }[] = []
  /** The `<<` that the next word belongs to. */
  #sign: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  get isClosed(): boolean {
    return this.#opened.length === 0 && this.#sign === undefined
  }

  /** Tokens up to the end of the text, or to the `)` that closes a substitution. */
  list(depth: number): readonly Token[] | undefined {
    const tokens: Token[] = []
    let open = 0
    let cases = 0
    while (this.at < this.#text.length) {
      const character = this.#text[this.at] ?? ''
      // Behind `case`, outside of a substitution, it ends a pattern, or stands where no tree has it.
      const isPattern = depth === 0 && cases > 0
      if (character === ')' && open === 0 && !isPattern) return depth > 0 ? tokens : undefined
      if (character === '(') open += 1
      if (character === ')' && open > 0) open -= 1
      if (character === ' ' || character === '\t') this.at += 1
      else if (character === '#') this.#comment()
      else {
        const token = this.#token(depth)
        if (token === undefined) return undefined
        if (token.text === 'case') cases += 1
        if (token.text === 'esac') cases -= 1
        tokens.push(token)
      }
    }
    return depth > 0 ? undefined : tokens
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.at)
    this.at = end === -1 ? this.#text.length : end
  }

  #token(depth: number): Token | undefined {
    const pos = this.at
    const operator = this.#operator()
    if (operator !== undefined) {
      this.at += operator.length
      if (/^(?:\(|<<.?)$/.test(operator)) this.openings += 1
      const token: Token = { kind: 'operator', pos, end: this.at, text: operator }
      return this.#document(operator, depth) ? token : undefined
    }
    if (!this.#word(depth)) return undefined
    const text = this.#text.slice(pos, this.at)
    if (!this.#delimiter(text, pos)) return undefined
    const isNumber = /^\d+$/.test(text) && /[<>]/.test(this.#text[this.at] ?? '')
    return { kind: isNumber ? 'number' : 'word', pos, end: this.at, text }
  }

  /** Whether here-documents start and end in allowed places: outside substitutions, with their texts after the line. */
  #document(operator: string, depth: number): boolean {
    if (this.#sign !== undefined) return false
    if (operator === '<<' || operator === '<<-') this.#sign = operator
    if (this.#sign !== undefined) return depth === 0
    if (operator !== '\n' || this.#opened.length === 0) return true
    const opened = this.#opened
    this.#opened = []
    return opened.every(({ pos, delimiter, strips }, index) => {
      const from = index === 0 ? this.at : this.at + 1
      const found = documentAt(this.#text, from, delimiter, strips)
      if (found === undefined) return false
      this.found.documents.set(pos, found)
      this.at = found.end
      return true
    })
  }

  /** The word after `<<`; other words on its line contain no line end, since a text may start there. */
  #delimiter(text: string, pos: number): boolean {
    const sign = this.#sign
    if (sign === undefined) return this.#opened.length === 0 || !text.includes('\n')
    this.#sign = undefined
    const delimiter = delimiterOf(text)
    if (delimiter === undefined) return false
    this.#opened.push({ pos, delimiter, strips: sign === '<<-' })
    return true
  }

  #operator(): string | undefined {
    const character = this.#text[this.at] ?? ''
    if (character === '\n' || !/[|&;<>()]/.test(character))
      return character === '\n' ? '\n' : undefined
    return operators.find((operator) => this.#text.startsWith(operator, this.at))
  }

  /** Whether the whole word could be parsed. */
  #word(depth: number): boolean {
    for (;;) {
      plainRun.lastIndex = this.at
      if (plainRun.test(this.#text)) this.#passes(plainRun.lastIndex)
      const character = this.#text[this.at] ?? ''
      if (character === '' || /[ \t\n|&;<>()]/.test(character)) return true
      if (!this.#piece(character, depth)) return false
    }
  }

  #passes(end: number): void {
    for (; this.at < end; this.at += 1) if (this.#text[this.at] === '{') this.openings += 1
  }

  #piece(character: string, depth: number, isQuoted = false): boolean {
    if (character === '`') return false
    if (character === '\\') return this.#escape()
    if (character === "'") return this.#single()
    if (character === '"') return this.#double(depth)
    if (character === '$') return this.#dollar(depth, isQuoted)
    this.at += 1
    return true
  }

  #escape(): boolean {
    const next = this.#text[this.at + 1]
    this.at += 2
    return next !== undefined && next !== '\n'
  }

  #single(): boolean {
    const end = this.#text.indexOf("'", this.at + 1)
    this.at = end + 1
    return end !== -1
  }

  #double(depth: number): boolean {
    this.at += 1
    for (;;) {
      const character = this.#text[this.at]
      if (character === undefined) return false
      if (character === '"') {
        this.at += 1
        return true
      }
      const isPlain = character === "'" || !this.#isSpecial(character)
      if (isPlain) this.at += 1
      else if (!this.#piece(character, depth, true)) return false
    }
  }

  #isSpecial(character: string): boolean {
    return character === '`' || character === '\\' || character === '$'
  }

  #dollar(depth: number, isQuoted: boolean): boolean {
    if (isPlainDollar(this.#text, this.at, isQuoted)) {
      this.at += 1
      return true
    }
    if (!isQuoted && this.#text.startsWith(tab, this.at)) {
      this.at += tab.length
      return true
    }
    const next = this.#text[this.at + 1] ?? ''
    if (next === '(' || next === '{') this.openings += 1
    if (next === '(') return this.#substitution(depth)
    plainExpansion.lastIndex = this.at
    quotedExpansion.lastIndex = this.at
    const found =
      plainExpansion.exec(this.#text) ?? (isQuoted ? quotedExpansion.exec(this.#text) : null)
    this.at += found?.[0].length ?? 1
    return found !== null || !/[{['"]/.test(next)
  }

  #substitution(depth: number): boolean {
    const pos = this.at
    const text = hereTextAt(this.#text, pos)
    if (text !== undefined) {
      this.found.texts.set(pos, text)
      this.at = text.end
      return true
    }
    const number = arithmeticAt(this.#text, pos)
    if (number !== undefined) {
      this.at = number.end
      return true
    }
    if (depth >= maxDepth || this.#text[pos + 2] === '(') return false
    this.at += 2
    const tokens = this.list(depth + 1)
    if (tokens === undefined) return false
    this.found.inner.set(pos, tokens)
    this.at += 1
    return true
  }
}
