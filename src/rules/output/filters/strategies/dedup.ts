import type { Strategy } from './strategy.ts'

/**
 * Variable parts of repeated log lines: dates, times, epochs in milliseconds, UUIDs. Each alternative is bounded, so the time
 * is linear in the line.
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

/** Counts consecutive lines that differ only in times and UUIDs instead of repeating them. */
export const dedup: Strategy = ({ lines, kept }) => {
  const runs = new Runs()
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const stays = kept[at] !== 0
    if (runs.isRepetition(line, stays)) runs.count()
    else runs.start(line, stays)
  }
  return { lines: runs.end(), confidence: 'full' }
}

/** Collects runs of equal lines: the first line and the number of repetitions. */
class Runs {
  readonly #lines: string[] = []
  #first: string | undefined
  /** The first line with variable parts replaced; computed on demand. */
  #form: string | undefined
  #times = 0
  #stays = false

  /** A line that reports a failure (`stays`) is counted only with identical ones, and is shown unchanged. */
  isRepetition(line: string, stays: boolean): boolean {
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
    this.#flush()
    this.#first = line
    this.#form = undefined
    this.#times = 1
    this.#stays = stays
  }

  end(): readonly string[] {
    this.#flush()
    return this.#lines
  }

  #flush(): void {
    if (this.#first === undefined) return
    const isShownAsIs = this.#times === 1 || this.#stays
    this.#lines.push(isShownAsIs ? this.#first : `${this.#first} [×${this.#times}]`)
    const more = this.#times - 1
    if (this.#stays && more > 0) this.#lines.push(`[… the same line ${more} more times …]`)
  }
}

/** Characters, by code, with which a time or UUID may end. */
const mayChange = new Uint8Array(128)
for (const character of '0123456789abcdefABCDEFTUZ') mayChange[character.charCodeAt(0)] = 1

/** Cheap test: whether the lines are equal after the last character that may belong to a time or UUID. */
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
