import { findBatch } from '../../db/call/tool-calls.ts'
import type { TurnRow } from '../../db/schema.ts'
import { findLastWritten } from '../../db/turn/messages.ts'
import { getSession } from '../../db/turn/sessions.ts'
import { eachOf } from '../../util/each-of.ts'
import { describeOver, readBudgets, usedUp } from '../call/budgets.ts'
import type { Reviewed } from '../call/settle-reviews.ts'
import { unreviewedOf } from '../call/unreviewed.ts'
import { handOn } from './hand-on.ts'
import { holdLease } from './model/hold-lease.ts'
import { reviewCall, unasked } from './model/review-call.ts'
import type { TurnKernel } from './turn-kernel.ts'

/** What a person wrote last that tells what they want; a "yes" alone does not. */
const lastMessages = 3
/** Reviews of one batch that are under way at once. */
const mostAtOnce = 8

/**
 * POL-05: asks the reviewer about each call of the batch that waits for it. Under the lease and outside any transaction, as
 * every model call: who is killed meanwhile has stored nothing, and whoever takes the turn over asks again. undefined: the turn
 * is somebody else's by now, or over.
 */
export async function reviewBatch(
  kernel: TurnKernel,
  turn: TurnRow,
): Promise<readonly Reviewed[] | undefined> {
  if (kernel.reviews === undefined) return []
  const waiting = unreviewedOf(kernel, await findBatch(kernel.db, turn.id, turn.step))
  if (waiting.length === 0) return []
  const { db } = kernel
  const whose = { session: await getSession(db, turn.session_id), callerId: turn.caller_id }
  const over = usedUp(await readBudgets(kernel, db, whose))
  if (over !== undefined) return waiting.map((call) => unasked(kernel, call, describeOver(over)))
  const written = await findLastWritten(db, turn.session_id, turn.caller_id, lastMessages)
  const found = await holdLease(kernel, turn, async (held) => {
    const reviewed = await eachOf(waiting, mostAtOnce, async (call) =>
      held.aborted
        ? unasked(kernel, call, 'the turn went on elsewhere')
        : reviewCall(kernel, { turn, call, written, held }),
    )
    return held.aborted ? undefined : reviewed
  })
  // An acting turn is found by nobody unless it is due.
  if (found === undefined) await handOn(kernel, turn)
  return found
}
