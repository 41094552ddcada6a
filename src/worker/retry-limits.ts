/** ERR-03: how failures that may pass are tried again (`[tools.retry]`). */
export interface RetryLimits {
  /** Tries after the first; 0: none. */
  readonly maxAttempts: number
  /** The longest wait before the second try, in milliseconds; it doubles with each further one. */
  readonly baseMs: number
  readonly maxMs: number
  /** Of all tries and waits together, in milliseconds; the first try may take longer. */
  readonly budgetMs: number
}

export const noRetries: RetryLimits = { maxAttempts: 0, baseMs: 1, maxMs: 1, budgetMs: 1 }
