import { z } from 'zod'
import { type CallOutcome, callOutcome } from '../../rules/jobs/contract.ts'

const processIdentity = z.strictObject({ pid: z.number().int(), ticks: z.number() })

/** How a call ended, as the journal keeps it. */
export const settled = z.strictObject({
  outcome: callOutcome,
  durationMs: z.number().nonnegative(),
})
export type Settled = z.infer<typeof settled>

/** One begun (or barred) call on disk. */
export const journalEntry = z.strictObject({
  v: z.literal(1),
  callId: z.string(),
  attempt: z.number().int().positive(),
  /** Of the text that was begun; missing when the call was barred by a cancel, which has none. */
  argumentsSha256: z.string().optional(),
  replica: z.string(),
  /** Where the process ids below mean something. */
  scope: z.string(),
  /** May be run again after a crash. */
  idempotent: z.boolean(),
  /** Unix seconds after which the job may not be started any more. */
  exp: z.number().int(),
  /** The executor, and the shell command in it where its number is the host's. */
  box: processIdentity.optional(),
  command: processIdentity.optional(),
  /** Set when the call was settled without being begun: refused, or cancelled before its start. */
  barred: settled.optional(),
})
export type JournalEntry = z.infer<typeof journalEntry>

/** What identifies a call to the journal. */
export type JournalCall = Pick<
  JournalEntry,
  'callId' | 'attempt' | 'argumentsSha256' | 'idempotent' | 'exp'
>

export const interrupted: Settled = { outcome: { kind: 'interrupted' }, durationMs: 0 }

const neverBegun: ReadonlySet<CallOutcome['kind']> = new Set(['elsewhere', 'changed', 'refused'])

/** Whether `call` may be begun although `entry` ended so: nothing was done, or doing it again does no harm. */
export function mayFollow(call: JournalCall, entry: JournalEntry, ended: Settled): boolean {
  if (entry.idempotent && call.idempotent && ended.outcome.kind === 'interrupted') {
    return call.attempt >= entry.attempt
  }
  const wasIdle = entry.barred !== undefined || neverBegun.has(ended.outcome.kind)
  return wasIdle && call.attempt > entry.attempt
}
