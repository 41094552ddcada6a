import type { Confidence } from '../confidence.ts'

export interface StrategyInput {
  readonly lines: readonly string[]
  /** Not 0 at each line that must stay as it is (OUT-05); `tells` at one that tells of a failure, or of the end, itself. */
  readonly kept: Uint8Array
  /** Whether the command failed, or may have. */
  readonly failed: boolean
}

export interface StrategyResult {
  readonly lines: readonly string[]
  readonly confidence: Confidence
}

export const belongs = 1
export const tells = 2

/** OUT-04: one way to make output shorter. Pure, and linear in the text. */
export type Strategy = (input: StrategyInput) => StrategyResult
