import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const maxEntries = 1_000
const entry = z.string()

/** Earlier input, newest last; stored, if a file is given, as lines of JSON strings readable by the owner only. */
export class History {
  readonly #file: string | undefined
  readonly #entries: string[]
  #position: number
  #draft = ''
  #written: Promise<unknown> = Promise.resolve()

  private constructor(file: string | undefined, entries: string[]) {
    this.#file = file
    this.#entries = entries
    this.#position = entries.length
  }

  /** A missing or broken file counts as an empty history. */
  static async open(file: string | undefined): Promise<History> {
    const lines =
      file === undefined ? [] : (await readFile(file, 'utf8').catch(() => '')).split('\n')
    const entries = lines.flatMap((line) => readEntry(line)).slice(-maxEntries)
    if (file !== undefined && lines.length > 2 * maxEntries) {
      await writeFile(file, entries.map((text) => `${JSON.stringify(text)}\n`).join(''), {
        mode: 0o600,
      }).catch(() => undefined)
    }
    return new History(file, entries)
  }

  /** Adds an entry, unless it repeats the last one. */
  add(text: string): void {
    if (this.#entries.at(-1) !== text) {
      this.#entries.push(text)
      this.#write(text)
    }
    this.#position = this.#entries.length
  }

  /** The entry before the current one; `draft` is the unsent line, which `newer` returns at the end. */
  older(draft: string): string | undefined {
    if (this.#position === 0) return undefined
    if (this.#position === this.#entries.length) this.#draft = draft
    return this.#entries[--this.#position]
  }

  newer(): string | undefined {
    if (this.#position === this.#entries.length) return undefined
    this.#position++
    return this.#entries[this.#position] ?? this.#draft
  }

  /** Resolves when all entries were written, or failed to be. */
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
