import { queuedForMs } from '../../../db/call/silent-calls.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import type { CallOutcome } from '../../../rules/jobs/contract.ts'
import { minJobLifetimeMs } from '../../../rules/jobs/sign.ts'

/** A call that came back untouched is sent anew so many times; then something is wrong that waiting does not mend. */
const maxTurnedBack = 5
/**
 * The worker's journal forgets after a day: what was sent longer ago than this, or said to have started, and is answered as never
 * begun, may have run all the same. In milliseconds.
 */
const certainMs = 12 * 60 * 60_000

/** What an executor or worker answers that did nothing. */
export function isUntouched({ kind }: CallOutcome): boolean {
  return kind === 'elsewhere' || kind === 'changed' || kind === 'refused'
}

export type Returned =
  | { readonly kind: 'end'; readonly outcome: CallOutcome }
  /** Nothing was done: it goes through the gate once more. `counts`: as one of the few times that a call has for that. */
  | { readonly kind: 'again'; readonly counts: boolean }

const stopped: CallOutcome = {
  kind: 'failed',
  error: { category: 'cancelled', message: 'the call was stopped before it began' },
}

/** What an answer comes to: what was not begun may try again, unless it is to be cancelled anyway or did so too often. */
export async function whatCameBack(
  db: Db,
  call: ToolCallRow,
  outcome: CallOutcome,
): Promise<Returned> {
  const end = { kind: 'end', outcome } as const
  if (!isUntouched(outcome)) return end
  const forMs = await queuedForMs(db, call.id)
  if (outcome.kind === 'refused' && (call.state === 'running' || forMs > certainMs)) {
    return { kind: 'end', outcome: { kind: 'interrupted' } }
  }
  if (call.cancel_requested_at !== null) return { kind: 'end', outcome: stopped }
  // DECISIONS 15: that its job expired while the worker was busy says nothing against the call.
  const counts = outcome.kind !== 'refused' || forMs < minJobLifetimeMs
  const isOften = counts && call.turned_back + 1 >= maxTurnedBack
  return isOften ? end : { kind: 'again', counts }
}
