import { inTransaction } from '../../db/database.ts'
import { tryLock } from '../../db/locks.ts'
import { takeForgottenTurns } from '../../db/turns.ts'
import { persistAlways } from '../approval/apply-always.ts'
import { expireApprovals, remindOfApprovals } from '../approval/expire.ts'
import { resendCalls, resendCancels } from '../call/resend-calls.ts'
import { postLatePreviews } from '../call/settle-preview.ts'
import type { TurnKernel } from './turn-kernel.ts'

/** A turn that has been due for so long was told to nobody who lives, in milliseconds. */
const forgottenMs = 2_000

/**
 * Finds what a crash or a lost signal left behind and hands it on again (rule 3). One agent at a time; the rows make
 * a second one harmless (INT-39). `aliveSince` is when this agent started: nobody is declared dead before that.
 */
export async function sweep(kernel: TurnKernel, aliveSince: Date): Promise<void> {
  await inTransaction(kernel.db, async (db) => {
    if (!(await tryLock(db, 'sweeper'))) return
    await sweepOnce(kernel, aliveSince)
  })
}

async function sweepOnce(kernel: TurnKernel, aliveSince: Date): Promise<void> {
  for (const turn of await takeForgottenTurns(kernel.db, forgottenMs)) {
    await kernel.signals.turnDue(turn.id, turn.epoch)
  }
  await expireApprovals(kernel)
  await remindOfApprovals(kernel)
  await persistAlways(kernel)
  await postLatePreviews(kernel)
  await resendCancels(kernel)
  await resendCalls(kernel, aliveSince)
}
