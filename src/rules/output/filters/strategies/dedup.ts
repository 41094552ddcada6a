import type { Strategy } from './strategy.ts'

/**
 * What differs between equal lines of a log: dates, times, epochs in milliseconds, UUIDs. Each alternative is short and bounded,
 * so that a line costs its length.
 */
const changing = new RegExp(
  [
    String.raw`\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?`,
    String.raw`\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?`,
    String.raw`\b\d{1,2}/(?:\d\d|[A-Z][a-z]{2})/\d{4}[: ,]{0,2}\d{1,2}:\d\d:\d\d(?: [+-]\d{4})?`,
    String.raw`\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?`,
    String.raw`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`,
    String.raw`\b1[5-9]\d{8}(?:\d{3}|\.\d{1,9})?\b`,
    String.raw`^\[ *\d{1,9}\.\d{6}\]`,
  ].join('|'),
  'g',
)

/** A line like the one before it, but for times and UUIDs, is counted and not shown again. */
export const dedup: Strategy = ({ lines, kept }) => {
  const runs = new Runs()
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const stays = kept[at] !== 0
    if (runs.isAgain(line, stays)) runs.count()
    else runs.start(line, stays)
  }
  return { lines: runs.end(), confidence: 'full' }
}

/** Runs of equal lines: of each the first line, and how many there are. */
class Runs {
  readonly #lines: string[] = []
  #first: string | undefined
  /** Of the first line; made when it is needed. */
  #form: string | undefined
  #times = 0
  #stays = false

  /** What `stays` tells of a failure: only the very same line is counted with it, and it is shown as it is. */
  isAgain(line: string, stays: boolean): boolean {
    const first = this.#first
    if (first === undefined || line === '') return false
    if (line === first) return true
    if (stays || !isSameEnd(line, first)) return false
    this.#form ??= toForm(first)
    return toForm(line) === this.#form
  }

  count(): void {
    this.#times += 1
  }

  start(line: string, stays: boolean): void {
    this.#tell()
    this.#first = line
    this.#form = undefined
    this.#times = 1
    this.#stays = stays
  }

  end(): readonly string[] {
    this.#tell()
    return this.#lines
  }

  #tell(): void {
    if (this.#first === undefined) return
    const isShownAsIs = this.#times === 1 || this.#stays
    this.#lines.push(isShownAsIs ? this.#first : `${this.#first} [×${this.#times}]`)
    const more = this.#times - 1
    if (this.#stays && more > 0) this.#lines.push(`[… the same line ${more} more times …]`)
  }
}

/** Characters with which a time or a UUID may end, by their codes. */
const mayChange = new Uint8Array(128)
for (const character of '0123456789abcdefABCDEFTUZ') mayChange[character.charCodeAt(0)] = 1

/** Whether what stands behind all that may be a time or UUID is equal: most lines that differ do so here. */
function isSameEnd(one: string, other: string): boolean {
  let here = one.length - 1
  let there = other.length - 1
  for (; here >= 0 && there >= 0; here -= 1, there -= 1) {
    const code = one.charCodeAt(here)
    if (mayChange[code] === 1) return true
    if (code !== other.charCodeAt(there)) return false
  }
  return true
}

function toForm(line: string): string {
  return /\d{2}/.test(line) ? line.replace(changing, '*') : line
}
