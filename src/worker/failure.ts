import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'

export type Failure = Extract<ExecutorOutcome, { kind: 'error' }>

/** Builds the outcome of a call that the worker itself ends, in the executor's form. */
export function failure(category: Failure['error']['category'], message: string): Failure {
  return { kind: 'error', error: { category, message } }
}
