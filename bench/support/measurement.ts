import type { Figure } from './figure.ts'

/** How much to measure. */
export interface Effort {
  /** Multiplies the number of runs; 1 is what the documentation shows. */
  readonly scale: number
}

/** One group of figures, measured together. */
export interface Measurement {
  readonly name: string
  /** What it is, in words for the report. */
  readonly about: string
  /** It takes many minutes, and is done only where it is named. */
  readonly isLong?: boolean
  measure(effort: Effort): Promise<readonly Figure[]>
}

/** A number of runs at this effort, never fewer than three. */
export function runs(effort: Effort, count: number): number {
  return Math.max(Math.round(count * effort.scale), 3)
}
