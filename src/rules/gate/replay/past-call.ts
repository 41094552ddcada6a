import type { Action, TraceEntry } from '../../../domain/verdict.ts'

/** A call that was decided on, as the audit kept it. */
export interface PastCall {
  readonly at: Date
  readonly worker: string | undefined
  readonly tool: string
  /** JSON text, secrets taken out; undefined: not recorded. */
  readonly arguments: string | undefined
  /** What the gate said last. */
  readonly verdict: Action
  /** What people said: `approved`, `denied`, `expired` and others; undefined: nobody was asked. */
  readonly answer: string | undefined
  readonly decidedBy: string | undefined
  readonly callerId: string
  readonly trace: readonly TraceEntry[]
  /** Canonical paths that the executor reported. */
  readonly canonical?: readonly string[]
}

/** Whether a person, the gate or the time refused it. */
export function wasRefused({ verdict, answer }: PastCall): boolean {
  return verdict === 'deny' || answer === 'denied'
}
