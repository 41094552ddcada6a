import { sanitise } from '../sanitise.ts'

/** In UTF-16 units: further back no rule looks for what tells a secret (a manifest has 65,536), and a view is short. */
const keptUnits = 80_000
/** A line that grows longer is left out until it ends. */
const longestLine = 65_536

/** The end of what a command printed so far: whole lines, sanitised, and the line that has not ended yet. */
export class PrintedLines {
  #lines = ''
  /** As it was printed: an escape sequence may be in halves. */
  #rest = ''
  /** The beginning of the line that is being printed was left out, so none of it is kept. */
  #isHeadless = false

  /** `isCut`: more was printed before it, which was left out. */
  append(printed: string, isCut: boolean): void {
    if (isCut) this.#forget()
    const text = this.#withoutHeadless(this.#rest + printed)
    const end = text.lastIndexOf('\n') + 1
    this.#rest = text.slice(end)
    this.#lines = lastLines(this.#lines + sanitise(text.slice(0, end)))
    if (this.#rest.length <= longestLine) return
    this.#rest = ''
    this.#isHeadless = true
  }

  read(): { readonly lines: string; readonly rest: string } {
    return { lines: this.#lines, rest: sanitise(this.#rest.replace(halfSequence, '')) }
  }

  #forget(): void {
    this.#lines = ''
    this.#rest = ''
    this.#isHeadless = true
  }

  #withoutHeadless(text: string): string {
    if (!this.#isHeadless) return text
    const end = text.indexOf('\n')
    if (end === -1) return ''
    this.#isHeadless = false
    return text.slice(end + 1)
  }
}

/** An escape sequence that goes on in what is printed next: one of a string, CSI with its parameters, or a short one. */
const halfSequence = new RegExp(
  [
    String.raw`\u001b[\]PX^_][^\u0007\u001b]*\u001b?$`,
    String.raw`\u001b\[[0-?]*[ -/]*$`,
    String.raw`\u001b[ -/]*$`,
  ].join('|'),
)

function lastLines(text: string): string {
  if (text.length <= keptUnits) return text
  const from = text.indexOf('\n', text.length - keptUnits) + 1
  return from === 0 ? '' : text.slice(from)
}
