import { endApproval } from '../../db/approval/approvals.ts'
import { findExpired } from '../../db/approval/due-approvals.ts'
import { inTransaction } from '../../db/database.ts'
import { tryLock } from '../../db/locks.ts'
import { deleteOldReplyPaths } from '../../db/outbox/reply-paths.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { endTurn, getTurn, takeLostTurns } from '../../db/turn/turns.ts'
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
import { endNotice } from '../outbox/post.ts'
import { attempt } from '../retry.ts'
import { startNextTurn } from '../session/start-turn.ts'
import { transact } from '../transaction.ts'
import { closeTurn } from './close-turn.ts'
import { lockTurn } from './lock-turn.ts'
import { tellEnded } from './tell-ended.ts'
import type { TurnContext } from './turn-context.ts'

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
  ctx: TurnContext,
  listeningSince: Date,
  signalsPass = true,
): Promise<void> {
  await inTransaction(ctx.db, async (db) => {
    if (!(await tryLock(db, 'sweeper'))) return
    await attempt(ctx, 'wake turns', () => wakeForgotten(ctx))
    await attempt(ctx, 'cancel calls', () => resendCancels(ctx))
    await attempt(ctx, 'restart boxes', () => restartBoxes(ctx))
    await attempt(ctx, 'settle denials', () => endExplanations(ctx))
    await attempt(ctx, 'expire questions', () => endExpired(ctx))
    await attempt(ctx, 'remind of questions', () => remindOfApprovals(ctx))
    await attempt(ctx, 'ask the next', () => escalateApprovals(ctx))
    await attempt(ctx, 'bring cards back', () => bringBackCards(ctx))
    await attempt(ctx, 'write rules', () => persistAlways(ctx))
    await attempt(ctx, 'list rules', () => carryOutOrders(ctx))
    await attempt(ctx, 'post cards', () => postLatePreviews(ctx))
    await attempt(ctx, 'show questions', () => showReadyBatches(ctx))
    await attempt(ctx, 'end calls', () => endAbandoned(ctx, listeningSince))
    await attempt(ctx, 'forget reply paths', () => deleteOldReplyPaths(ctx.db))
    if (signalsPass) await attempt(ctx, 'send calls', () => resendCalls(ctx))
  })
}

async function wakeForgotten(ctx: TurnContext): Promise<void> {
  for (const turn of await takeLostTurns(ctx.db, forgottenMs)) {
    await ctx.signals.turnDue(turn.id, turn.epoch)
  }
}

/** APPR-19: what the operator wants of questions that nobody answered in time. */
export async function endExpired(ctx: TurnContext): Promise<void> {
  if (ctx.settings.onExpiry !== 'stop') return expireApprovals(ctx)
  for (const approval of await findExpired(ctx.db)) {
    await attempt(ctx, 'stop a turn', () => stop(ctx, approval))
  }
}

/** The turn ends as with `/stop`, by nobody; what was written meanwhile was promised to be read, and gets its turn. */
function stop(ctx: TurnContext, expired: ApprovalRow): Promise<void> {
  return transact(ctx, async (tx) => {
    const turn = await getTurn(tx.db, expired.turn_id)
    const { session, conversation } = await lockTurn(tx, turn)
    const ended = await endApproval(tx.db, expired.id, { state: 'expired' })
    if (ended === undefined) return
    tellDecided(tx.effects, ended)
    const at = (ended.decided_at ?? new Date()).toISOString()
    await updateCard(tx, ended, { kind: 'expired', at })
    const stopped = await endTurn(tx.db, turn.id, { state: 'stopped', failure: why })
    if (stopped !== undefined) tellEnded(tx.effects, stopped)
    tx.effects.abortTurn(turn.id)
    await closeTurn(tx, turn, { why })
    const text = `Question ${ended.number} (${ended.tool}) expired unanswered, so the turn was stopped. Write again to go on.`
    const own = { id: turn.id, conversationId: conversation.id }
    await endNotice(tx, own, text, turn.caller_id)
    await startNextTurn(tx, session)
  })
}
