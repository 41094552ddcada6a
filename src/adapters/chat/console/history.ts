import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const most = 1_000
const entry = z.string()

/** What a person wrote before, newest last; kept in a file of JSON strings that only they can read, where one is named. */
export class History {
  readonly #file: string | undefined
  readonly #entries: string[]
  #place: number
  #draft = ''
  #written: Promise<unknown> = Promise.resolve()

  private constructor(file: string | undefined, entries: string[]) {
    this.#file = file
    this.#entries = entries
    this.#place = entries.length
  }

  /** A file that is missing or broken is an empty history. */
  static async open(file: string | undefined): Promise<History> {
    const lines =
      file === undefined ? [] : (await readFile(file, 'utf8').catch(() => '')).split('\n')
    const entries = lines.flatMap((line) => readEntry(line)).slice(-most)
    if (file !== undefined && lines.length > 2 * most) {
      await writeFile(file, entries.map((text) => `${JSON.stringify(text)}\n`).join(''), {
        mode: 0o600,
      }).catch(() => undefined)
    }
    return new History(file, entries)
  }

  /** Remembers a line; one that repeats the last is not kept twice. */
  add(text: string): void {
    if (this.#entries.at(-1) !== text) {
      this.#entries.push(text)
      this.#write(text)
    }
    this.#place = this.#entries.length
  }

  /** The entry before the one shown; `draft` is what stands in the line now and comes back at the end. */
  older(draft: string): string | undefined {
    if (this.#place === 0) return undefined
    if (this.#place === this.#entries.length) this.#draft = draft
    return this.#entries[--this.#place]
  }

  newer(): string | undefined {
    if (this.#place === this.#entries.length) return undefined
    this.#place++
    return this.#entries[this.#place] ?? this.#draft
  }

  /** Settles when everything is in the file, or could not be written. */
  async flush(): Promise<void> {
    await this.#written
  }

  #write(text: string): void {
    const file = this.#file
    if (file === undefined) return
    this.#written = this.#written
      .then(() => appendFile(file, `${JSON.stringify(text)}\n`, { mode: 0o600 }))
      .catch(() => undefined)
  }
}

function readEntry(line: string): string[] {
  try {
    return [entry.parse(JSON.parse(line))]
  } catch {
    return []
  }
}
