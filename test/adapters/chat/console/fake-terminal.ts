import { PassThrough, Writable } from 'node:stream'

/** A terminal of so many columns that obeys what a real one would: what stands on it is in `rows`, styles left out. */
export class FakeTerminal {
  readonly input: PassThrough & { setRawMode(raw: boolean): unknown }
  readonly output: Writable & { columns?: number }
  /** Everything that was written, as it was. */
  raw = ''
  isRaw = false
  readonly #rows: string[] = ['']
  #row = 0
  #column = 0

  constructor(columns = 80) {
    this.input = Object.assign(new PassThrough(), {
      setRawMode: (raw: boolean) => {
        this.isRaw = raw
      },
    })
    const output = new Writable({
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        this.raw += chunk
        this.#take(chunk)
        done()
      },
    })
    this.output = Object.assign(output, { columns })
  }

  get rows(): readonly string[] {
    return this.#rows.map((row) => row.trimEnd())
  }

  get text(): string {
    return this.rows.join('\n')
  }

  type(text: string): void {
    this.input.write(text)
  }

  #take(chunk: string): void {
    const pattern =
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal reads control characters
      /\u001b\[(?<count>\d*)(?<move>[AC])|(?<clear>\u001b\[J)|(?<paste>\u001b\[\?2004[hl])|(?<style>\u001b\[[\d;]*m)|(?<control>\p{Cc})|(?<text>\P{Cc})/gu
    for (const { groups = {} } of chunk.matchAll(pattern)) this.#obey(groups)
  }

  #obey(found: Readonly<Record<string, string | undefined>>): void {
    const { text, control, clear, move } = found
    const count = Number(found['count'] || 1)
    if (text !== undefined) this.#put(text)
    else if (move === 'A') this.#row = Math.max(0, this.#row - count)
    else if (move === 'C') this.#column += count
    else if (clear !== undefined) this.#clearDown()
    else if (control === '\r') this.#column = 0
    else if (control === '\n') this.#feed()
    else if (control !== undefined)
      throw new Error(`a control character: ${JSON.stringify(control)}`)
  }

  #put(text: string): void {
    const row = (this.#rows[this.#row] ?? '').padEnd(this.#column)
    this.#rows[this.#row] =
      row.slice(0, this.#column) + text + row.slice(this.#column + text.length)
    this.#column += text.length
  }

  #clearDown(): void {
    this.#rows.length = this.#row + 1
    this.#rows[this.#row] = (this.#rows[this.#row] ?? '').slice(0, this.#column)
  }

  #feed(): void {
    this.#row++
    if (this.#row === this.#rows.length) this.#rows.push('')
  }
}
