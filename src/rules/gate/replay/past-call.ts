import type { Action, TraceEntry } from '../../../domain/verdict.ts'

/** A decided call from the audit. */
export interface PastCall {
  readonly at: Date
  readonly worker: string | undefined
  readonly tool: string
  /** JSON text without secrets; undefined: not recorded. */
  readonly arguments: string | undefined
  /** The gate's last action. */
  readonly verdict: Action
  /** People's decision: `approved`, `denied`, `expired` and others; undefined: no person was asked. */
  readonly answer: string | undefined
  readonly decidedBy: string | undefined
  readonly callerId: string
  readonly trace: readonly TraceEntry[]
  /** Canonical paths reported by the executor. */
  readonly canonical?: readonly string[]
}

/** Whether a person or the gate refused the call, or the approval expired. */
export function wasRefused({ verdict, answer }: PastCall): boolean {
  return verdict === 'deny' || answer === 'denied'
}
