export interface StrategyInput {
  readonly lines: readonly string[]
  /**
   * Nonzero for each line that must stay unchanged (OUT-05): `keptAsFailure` if it reports a failure itself or how the command ended,
   * `keptAsContext` if it is context.
   */
  readonly kept: Uint8Array
  /** Whether the command failed or may have failed. */
  readonly failed: boolean
}

export interface StrategyResult {
  readonly lines: readonly string[]
  readonly confidence: Confidence
}

export const keptAsContext = 1
export const keptAsFailure = 2

/** A way to shorten output (OUT-04). Pure, and linear in the length of the text. */
export type Strategy = (input: StrategyInput) => StrategyResult

/** How well a filter understood the output, best first (OUT-06). */
export const confidences = ['full', 'partial', 'fallback'] as const
export type Confidence = (typeof confidences)[number]

/** The lowest confidence of several stages. */
export function worstOf(stages: readonly Confidence[]): Confidence {
  const worst = Math.max(0, ...stages.map((stage) => confidences.indexOf(stage)))
  return confidences[worst] ?? 'fallback'
}

/** The line that replaces omitted lines. */
export function leftOut(count: number, what = 'line'): string {
  return `[… ${count} ${what}${count === 1 ? '' : 's'} left out …]`
}
