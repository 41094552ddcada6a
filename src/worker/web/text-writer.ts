const mostIndent = 8

/** Builds readable text: white space collapses, blocks start on new lines, and the `[` of a link waits for its first word. */
export class TextWriter {
  readonly #most: number
  readonly #parts: string[] = []
  #length = 0
  #breaks = 0
  #isSpaced = false
  #atStart = true
  #opened = 0
  #prefix = ''
  #verbatim = 0
  #isFirstCell = true
  readonly #lists: { count: number | undefined }[] = []

  /** `most`: number of characters after which input is ignored. */
  constructor(most: number) {
    this.#most = most
  }

  get isFull(): boolean {
    return this.#length > this.#most
  }

  text(data: string): void {
    if (this.#verbatim > 0) this.#write(data)
    else this.#words(data)
  }

  /** Starts the following text at least `lines` lines further down. */
  break(lines: number): void {
    if (lines === 0) return
    this.#breaks = Math.max(this.#breaks, lines)
    this.#isSpaced = false
  }

  /** Sets the prefix of the next text: a heading or list marker. */
  mark(prefix: string): void {
    this.#prefix = prefix
  }

  openLink(): void {
    this.#opened += 1
  }

  /** Ends a link; one without text leaves nothing. */
  closeLink(url: string): void {
    if (this.#opened > 0) this.#opened -= 1
    else if (!this.isFull) this.#append(`](${url})`)
  }

  openList(isNumbered: boolean): void {
    this.#lists.push({ count: isNumbered ? 0 : undefined })
  }

  closeList(): void {
    this.#lists.pop()
  }

  get isInList(): boolean {
    return this.#lists.length > 0
  }

  entry(): void {
    const list = this.#lists.at(-1)
    const indent = '  '.repeat(Math.min(Math.max(this.#lists.length - 1, 0), mostIndent))
    if (list?.count !== undefined) list.count += 1
    this.mark(`${indent}${list?.count === undefined ? '-' : `${list.count}.`} `)
  }

  /** Adds an explicit line break; repeated ones count. */
  newLine(): void {
    if (this.#verbatim > 0) this.#write('\n')
    else this.break(Math.min(this.#breaks + 1, 2))
  }

  row(): void {
    this.#isFirstCell = true
  }

  /** Separates cells of a row. */
  cell(): void {
    if (!this.#isFirstCell) {
      if (this.#prefix === '') this.mark('| ')
      this.#isSpaced = true
    }
    this.#isFirstCell = false
  }

  openVerbatim(): void {
    this.#verbatim += 1
  }

  closeVerbatim(): void {
    this.#verbatim -= 1
  }

  toString(): string {
    const text = this.#parts.join('').trim()
    return this.isFull ? `${text.slice(0, this.#most)}\n[cut: the page is longer]` : text
  }

  #words(data: string): void {
    const words = data.replaceAll(/[\s\u00a0]+/g, ' ')
    if (words.startsWith(' ')) this.#isSpaced = true
    const inner = words.trim()
    if (inner === '') return
    this.#write(inner)
    if (words.endsWith(' ')) this.#isSpaced = true
  }

  #write(text: string): void {
    if (text === '' || this.isFull) return
    if (!this.#atStart) {
      if (this.#breaks > 0) this.#append('\n'.repeat(this.#breaks))
      else if (this.#isSpaced) this.#append(' ')
    }
    this.#append(`${this.#prefix}${'['.repeat(this.#opened)}${text}`)
    this.#breaks = 0
    this.#isSpaced = false
    this.#atStart = false
    this.#prefix = ''
    this.#opened = 0
  }

  #append(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
  }
}
