import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'

export type Failure = Extract<ExecutorOutcome, { kind: 'error' }>

/** A call that the worker itself ends, as the executor would say it. */
export function failure(category: Failure['error']['category'], message: string): Failure {
  return { kind: 'error', error: { category, message } }
}
