/** How long recoveries took, from the start of the process to the state that was waited for. */
export class Recovery {
  readonly #timesMs: number[] = []

  add(startedAt: number): void {
    this.#timesMs.push(performance.now() - startedAt)
  }

  get medianMs(): number {
    const sorted = this.#timesMs.toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }

  /** Writes one line for people. */
  print(what: string): void {
    const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
    const worst = inSeconds(Math.max(...this.#timesMs))
    const times = `recovered in ${inSeconds(this.medianMs)} (median), ${worst} (longest)`
    say(`${what}: ${this.#timesMs.length} rounds, ${times}`)
  }
}

/** A line of the test's own on the terminal. */
export function say(line: string): void {
  process.stdout.write(`chaos: ${line}\n`)
}
