export type Unit = 'ms' | 'µs' | 'MB' | '/s' | ''

/** One line of the report. `median` is of several runs; `best` is what the least disturbed of them took. */
export interface Figure {
  readonly name: string
  readonly unit: Unit
  readonly runs: number
  readonly best: number
  readonly median: number
  readonly p95: number
  /** What the same machine needs for the part that nobody can save, in the same unit. */
  readonly floor?: Floor
  readonly aim?: Aim
}

export interface Floor {
  readonly what: string
  readonly value: number
}

/** What is aimed for: of the median, or of how far it lies above the floor. */
export interface Aim {
  readonly of: 'median' | 'above floor'
  readonly atMost?: number
  readonly atLeast?: number
}

export type FigureExtras = Pick<Figure, 'floor' | 'aim'>

/** Sums up samples; throws when there are none. */
export function toFigure(
  name: string,
  unit: Unit,
  samples: readonly number[],
  extras: FigureExtras = {},
): Figure {
  const best = unit === '/s' ? Math.max(...samples) : Math.min(...samples)
  const p95 = quantile(samples, unit === '/s' ? 0.05 : 0.95)
  return { name, unit, runs: samples.length, best, median: median(samples), p95, ...extras }
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5)
}

/** The smallest sample that at least `share` of all samples do not exceed. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  const found = sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)]
  if (found === undefined) throw new Error('nothing was measured')
  return found
}

/** Whether the aim is met; undefined where there is none. */
export function meetsAim({ aim, floor, median: value }: Figure): boolean | undefined {
  if (aim === undefined) return undefined
  const counted = aim.of === 'median' ? value : value - (floor?.value ?? 0)
  return counted <= (aim.atMost ?? Infinity) && counted >= (aim.atLeast ?? -Infinity)
}
