import { inTransaction } from '../../db/database.ts'
import { tryLock } from '../../db/locks.ts'
import { deleteOldReplyPaths } from '../../db/outbox/reply-paths.ts'
import { takeForgottenTurns } from '../../db/turn/turns.ts'
import { persistAlways } from '../approval/apply-always.ts'
import { bringBackCards } from '../approval/bring-back.ts'
import { endExplanations } from '../approval/end-reason-waits.ts'
import { escalateApprovals } from '../approval/escalate.ts'
import { remindOfApprovals } from '../approval/remind.ts'
import { carryOutOrders } from '../approval/rules-orders.ts'
import { resendCalls, resendCancels } from '../call/resend-calls.ts'
import { restartBoxes } from '../call/restart-boxes.ts'
import { endAbandoned } from '../call/result/end-abandoned.ts'
import { postLatePreviews } from '../call/settle-preview.ts'
import { showReadyBatches } from '../card/show-batch.ts'
import { attempt } from '../kernel/attempt.ts'
import { endExpired } from './end-expired.ts'
import type { TurnKernel } from './turn-kernel.ts'

/** A turn that has been due for so long was told to nobody who lives, in milliseconds. */
const forgottenMs = 2_000

/**
 * Finds what a crash or a lost signal left behind and hands it on again (rule 3). One agent at a time; the rows make
 * a second one harmless (INT-39). Rejects only when the database cannot be reached. `listeningSince` is when this agent
 * began to hear of workers without a break: nobody is declared dead before that. Where no signal passes, no call is sent
 * again.
 */
export async function sweep(
  kernel: TurnKernel,
  listeningSince: Date,
  signalsPass = true,
): Promise<void> {
  await inTransaction(kernel.db, async (db) => {
    if (!(await tryLock(db, 'sweeper'))) return
    await attempt(kernel, 'wake turns', () => wakeForgotten(kernel))
    await attempt(kernel, 'cancel calls', () => resendCancels(kernel))
    await attempt(kernel, 'restart boxes', () => restartBoxes(kernel))
    await attempt(kernel, 'settle denials', () => endExplanations(kernel))
    await attempt(kernel, 'expire questions', () => endExpired(kernel))
    await attempt(kernel, 'remind of questions', () => remindOfApprovals(kernel))
    await attempt(kernel, 'ask the next', () => escalateApprovals(kernel))
    await attempt(kernel, 'bring cards back', () => bringBackCards(kernel))
    await attempt(kernel, 'write rules', () => persistAlways(kernel))
    await attempt(kernel, 'list rules', () => carryOutOrders(kernel))
    await attempt(kernel, 'post cards', () => postLatePreviews(kernel))
    await attempt(kernel, 'show questions', () => showReadyBatches(kernel))
    await attempt(kernel, 'end calls', () => endAbandoned(kernel, listeningSince))
    await attempt(kernel, 'forget reply paths', () => deleteOldReplyPaths(kernel.db))
    if (signalsPass) await attempt(kernel, 'send calls', () => resendCalls(kernel))
  })
}

async function wakeForgotten(kernel: TurnKernel): Promise<void> {
  for (const turn of await takeForgottenTurns(kernel.db, forgottenMs)) {
    await kernel.signals.turnDue(turn.id, turn.epoch)
  }
}
