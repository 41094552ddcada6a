const intervalMs = 250
const lines = 5
const maxCharacters = 2000

/** BASH-09: calls `report` with the last lines, at most four times a second. Call the result to stop. */
export class Progress {
  readonly #report: (text: string) => void
  #tail = ''
  #timer: NodeJS.Timeout | undefined
  #lastAt = 0

  constructor(report: (text: string) => void) {
    this.#report = report
  }

  append(text: string): void {
    this.#tail = (this.#tail + text.slice(-maxCharacters)).slice(-maxCharacters)
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
    this.#report(
      this.#tail
        .split('\n')
        .slice(-lines - 1)
        .join('\n')
        .trim(),
    )
  }
}
