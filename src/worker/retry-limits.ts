import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'

/** ERR-03: retries of temporary failures (`[tools.retry]`). */
export interface RetryLimits {
  /** Number of tries after the first; 0 for none. */
  readonly maxAttempts: number
  /** Maximum wait before the second try in milliseconds; doubled for each further one. */
  readonly baseMs: number
  readonly maxMs: number
  /** Limit of all tries and waits together in milliseconds; the first try may exceed it. */
  readonly budgetMs: number
}

export const noRetries: RetryLimits = { maxAttempts: 0, baseMs: 1, maxMs: 1, budgetMs: 1 }

export type Failure = Extract<ExecutorOutcome, { kind: 'error' }>

/** Builds the outcome of a call that the worker itself ends, in the executor's form. */
export function failure(category: Failure['error']['category'], message: string): Failure {
  return { kind: 'error', error: { category, message } }
}
