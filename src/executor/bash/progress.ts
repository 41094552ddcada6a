const intervalMs = 250
/** Maximum characters of one report, from the end of the output. Large, since secrets are recognised by preceding text. */
const maxCharacters = 131_072

/** Output since the previous report; `isCut` if its beginning was dropped. */
export interface Printing {
  readonly text: string
  readonly isCut: boolean
}

/** BASH-09: calls `report` with new output at most four times a second. Call `stop` at the end. */
export class Progress {
  readonly #report: (printing: Printing) => void
  #text = ''
  #isCut = false
  #timer: NodeJS.Timeout | undefined
  #lastAt = 0

  constructor(report: (printing: Printing) => void) {
    this.#report = report
  }

  append(text: string): void {
    const all = this.#text + text
    this.#isCut ||= all.length > maxCharacters
    this.#text = all.slice(-maxCharacters)
    if (this.#timer !== undefined) return
    const waitMs = Math.max(0, this.#lastAt + intervalMs - Date.now())
    this.#timer = setTimeout(() => this.#fire(), waitMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #fire(): void {
    this.#timer = undefined
    this.#lastAt = Date.now()
    this.#report({ text: this.#text, isCut: this.#isCut })
    this.#text = ''
    this.#isCut = false
  }
}
