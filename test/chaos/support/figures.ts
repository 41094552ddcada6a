import { availableParallelism, loadavg } from 'node:os'
import { expect } from 'vitest'

const limitMs = 5_000

/** How long recoveries took, from the start of the process to the state that was waited for. */
export class Recovery {
  readonly #timesMs: number[] = []
  readonly #loads: number[] = []

  add(startedAt: number): void {
    this.#timesMs.push(performance.now() - startedAt)
    this.#loads.push(load())
  }

  /** Writes one line for people. */
  print(what: string): void {
    const times = `${inSeconds(median(this.#timesMs))} (median), ${inSeconds(Math.max(...this.#timesMs))} (longest)`
    const load = median(this.#loads).toFixed(1)
    say(`${what}: ${this.#timesMs.length} rounds, recovered in ${times}, load ${load} a processor`)
  }

  /** Within 5 s, times the number of processes that each processor has to serve meanwhile. */
  expectInTime(): void {
    expect(median(this.#timesMs)).toBeLessThan(limitMs * Math.max(1, median(this.#loads)))
  }
}

/** How many processes each processor has had to serve during the last minute, on average. */
export function load(): number {
  return (loadavg()[0] ?? 0) / availableParallelism()
}

/** A line of the test's own on the terminal. */
export function say(line: string): void {
  process.stdout.write(`chaos: ${line}\n`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
