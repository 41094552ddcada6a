/** Characters of one line that are shown. */
const maxLineCharacters = 2000

/** Numbers lines `offset + 1 … offset + limit` of a text that comes in pieces, and forgets the others. */
export class LineWindow {
  readonly #offset: number
  readonly #limit: number
  readonly #maxCharacters: number
  readonly #shown: string[] = []
  #characters = 0
  #line = 0
  #start = ''
  #length = 0
  #isWholeCounted = false

  constructor(offset: number, limit: number, maxCharacters: number) {
    this.#offset = offset
    this.#limit = limit
    this.#maxCharacters = maxCharacters
  }

  /** Whether nothing that follows can be shown; one line more is read to know that there is one. */
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

  /** The text is over. */
  end(text: string): void {
    this.append(text)
    if (this.#length > 0) this.#finish()
    this.#isWholeCounted = true
  }

  /** The numbered lines, and a line that says what is missing around them. */
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
    const room = maxLineCharacters - this.#start.length
    if (room > 0 && to > from) this.#start += text.slice(from, Math.min(to, from + room))
    this.#length += to - from
  }

  #finish(): void {
    this.#line++
    const isWanted = this.#line > this.#offset && this.#line <= this.#offset + this.#limit
    if (isWanted && this.#characters <= this.#maxCharacters) {
      const text = this.#start.replace(/\r$/, '')
      const cut = this.#length - this.#start.length
      const notice = cut === 0 ? '' : ` [line cut: ${cut} more characters]`
      const shown = `${String(this.#line).padStart(6)}\t${text}${notice}`
      this.#shown.push(shown)
      this.#characters += shown.length + 1
    }
    this.#start = ''
    this.#length = 0
  }
}
