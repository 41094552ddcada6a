import { z } from 'zod'
import { type CallOutcome, callOutcome } from '../../rules/jobs/contract.ts'

const processIdentity = z.strictObject({ pid: z.number().int(), ticks: z.number() })

/** Stored result of a call. */
export const settled = z.strictObject({
  outcome: callOutcome,
  durationMs: z.number().nonnegative(),
})
export type Settled = z.infer<typeof settled>

/** Started or barred call on disk. */
export const journalEntry = z.strictObject({
  v: z.literal(1),
  callId: z.string(),
  attempt: z.number().int().positive(),
  /** Digest of the arguments that were started; absent if a cancellation barred the call. */
  argumentsSha256: z.string().optional(),
  replica: z.string(),
  /** Scope in which the process ids below are valid. */
  scope: z.string(),
  /** True if it may be run again after a crash. */
  idempotent: z.boolean(),
  /** Expiry of the job in Unix seconds. */
  exp: z.number().int(),
  /** Executor, and its shell command if the pid is that of the host. */
  box: processIdentity.optional(),
  command: processIdentity.optional(),
  /** Set if the call was settled without being started: refused or cancelled. */
  barred: settled.optional(),
})
export type JournalEntry = z.infer<typeof journalEntry>

/** Identity of a call in the journal. */
export type JournalCall = Pick<
  JournalEntry,
  'callId' | 'attempt' | 'argumentsSha256' | 'idempotent' | 'exp'
>

export const interrupted: Settled = { outcome: { kind: 'interrupted' }, durationMs: 0 }

const neverStarted: ReadonlySet<CallOutcome['kind']> = new Set(['elsewhere', 'changed', 'refused'])

/** True if `call` may start although `entry` ended like this: nothing was done, or repeating it is harmless. */
export function mayFollow(call: JournalCall, entry: JournalEntry, ended: Settled): boolean {
  if (entry.idempotent && call.idempotent && ended.outcome.kind === 'interrupted') {
    return call.attempt >= entry.attempt
  }
  const wasIdle = entry.barred !== undefined || neverStarted.has(ended.outcome.kind)
  return wasIdle && call.attempt > entry.attempt
}
