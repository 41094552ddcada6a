/** Characters shown of one line, and of a line continued by column, in UTF-16 code units. */
const maxLineCharacters = 2000
const maxContinuedCharacters = 20_000

export interface WantedWindow {
  /** Number of lines to skip. */
  readonly offset: number
  /** Maximum number of lines. */
  readonly limit: number
  /** Number of characters to skip in the first line (FILE-10). */
  readonly column: number
  /** Total number of characters after which no further line is started. */
  readonly maxCharacters: number
}

/** Selects and numbers lines `offset + 1 … offset + limit` of a text that arrives in pieces. */
export class LineWindow {
  readonly #offset: number
  readonly #limit: number
  readonly #column: number
  readonly #maxCharacters: number
  readonly #shown: string[] = []
  #characters = 0
  #line = 0
  #start = ''
  #length = 0
  #isWholeCounted = false

  constructor({ offset, limit, column, maxCharacters }: WantedWindow) {
    this.#offset = offset
    this.#limit = limit
    this.#column = column
    this.#maxCharacters = maxCharacters
  }

  /** True if no further text can be shown. One more line is read to know that it exists. */
  get isFull(): boolean {
    return this.#line > this.#offset + this.#limit || this.#characters > this.#maxCharacters
  }

  append(text: string): void {
    let from = 0
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      this.#take(text, from, at)
      this.#finish()
      from = at + 1
    }
    this.#take(text, from, text.length)
  }

  /** Ends the text. */
  end(text: string): void {
    this.append(text)
    if (this.#length > 0) this.#finish()
    this.#isWholeCounted = true
  }

  /** Returns the numbered lines, with a line about those left out. */
  show(): string {
    const last = this.#offset + this.#shown.length
    const total = this.#isWholeCounted ? String(this.#line) : 'more'
    if (this.#line === 0) return '(the file is empty)'
    if (this.#shown.length === 0)
      return `(nothing at offset ${this.#offset}: the file has ${total} lines)`
    const isLast = this.#isWholeCounted && last >= this.#line
    const more = `(lines ${this.#offset + 1} to ${last} of ${total}; go on with offset ${last})`
    return isLast ? this.#shown.join('\n') : `${this.#shown.join('\n')}\n${more}`
  }

  #take(text: string, from: number, to: number): void {
    const begins = from + Math.max(0, this.#skipped - this.#length)
    const most = this.#skipped > 0 ? maxContinuedCharacters : maxLineCharacters
    const ends = Math.min(to, begins + most - this.#start.length)
    if (ends > begins) this.#start += text.slice(begins, ends)
    this.#length += to - from
  }

  /** Characters to skip in the current line. */
  get #skipped(): number {
    return this.#line === this.#offset ? this.#column : 0
  }

  #finish(): void {
    const skipped = this.#skipped
    this.#line++
    const isWanted = this.#line > this.#offset && this.#line <= this.#offset + this.#limit
    if (isWanted && this.#characters <= this.#maxCharacters) {
      const shown = `${String(this.#line).padStart(6)}\t${this.#part(skipped)}`
      this.#shown.push(shown)
      this.#characters += shown.length + 1
    }
    this.#start = ''
    this.#length = 0
  }

  /** Formats the current line, with a hint on how to read the rest. */
  #part(skipped: number): string {
    const isCut = skipped + this.#start.length < this.#length
    // Surrogate pairs stay together.
    const text = isCut
      ? this.#start.replace(/[\uD800-\uDBFF]$/, '')
      : this.#start.replace(/\r$/, '')
    const from = skipped === 0 ? '' : `[from column ${skipped} of ${this.#length}] `
    const next = skipped + text.length
    const more = `${this.#length - next} more characters; go on with offset ${this.#line - 1}, column ${next}`
    return `${from}${text}${isCut ? ` [line cut: ${more}]` : ''}`
  }
}
