import { endApproval } from '../../db/approval/approvals.ts'
import { findExpired } from '../../db/approval/due-approvals.ts'
import { inTransaction } from '../../db/database.ts'
import { tryLock } from '../../db/locks.ts'
import { deleteOldReplyPaths } from '../../db/outbox/reply-paths.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { endTurn, getTurn, takeForgottenTurns } from '../../db/turn/turns.ts'
import { persistAlways } from '../approval/apply-always.ts'
import { bringBackCards } from '../approval/bring-back.ts'
import { tellDecided } from '../approval/decide/tell-decided.ts'
import { endExplanations } from '../approval/end-reason-waits.ts'
import { escalateApprovals } from '../approval/escalate.ts'
import { expireApprovals } from '../approval/expire.ts'
import { remindOfApprovals } from '../approval/remind.ts'
import { carryOutOrders } from '../approval/rules-orders.ts'
import { resendCalls, resendCancels } from '../call/resend-calls.ts'
import { restartBoxes } from '../call/restart-boxes.ts'
import { endAbandoned } from '../call/result/end-abandoned.ts'
import { postLatePreviews } from '../call/settle-preview.ts'
import { updateCard } from '../card/cards.ts'
import { showReadyBatches } from '../card/show-batch.ts'
import { attempt } from '../kernel/attempt.ts'
import { transact } from '../kernel/transact.ts'
import { endNotice } from '../outbox/post.ts'
import { startNextTurn } from '../session/start-turn.ts'
import { closeTurn } from './close-turn.ts'
import { lockScope } from './lock-scope.ts'
import { tellEnded } from './tell-ended.ts'
import type { TurnKernel } from './turn-kernel.ts'

const why = 'a question expired'

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

/** APPR-19: what the operator wants of questions that nobody answered in time. */
export async function endExpired(kernel: TurnKernel): Promise<void> {
  if (kernel.settings.onExpiry !== 'stop') return expireApprovals(kernel)
  for (const approval of await findExpired(kernel.db)) {
    await attempt(kernel, 'stop a turn', () => stop(kernel, approval))
  }
}

/** The turn ends as with `/stop`, by nobody; what was written meanwhile was promised to be read, and gets its turn. */
function stop(kernel: TurnKernel, expired: ApprovalRow): Promise<void> {
  return transact(kernel, async (db, after) => {
    const turn = await getTurn(db, expired.turn_id)
    const { session, conversation } = await lockScope(db, turn)
    const ended = await endApproval(db, expired.id, { state: 'expired' })
    if (ended === undefined) return
    tellDecided(after, ended)
    const at = (ended.decided_at ?? new Date()).toISOString()
    await updateCard(db, after, ended, { kind: 'expired', at })
    const stopped = await endTurn(db, turn.id, { state: 'stopped', failure: why })
    if (stopped !== undefined) tellEnded(after, stopped)
    after.abortTurn(turn.id)
    await closeTurn(kernel, db, after, turn, { why })
    const text = `Question ${ended.number} (${ended.tool}) expired unanswered, so the turn was stopped. Write again to go on.`
    const own = { id: turn.id, conversationId: conversation.id }
    await endNotice(db, after, own, text, turn.caller_id)
    await startNextTurn(db, after, session)
  })
}
