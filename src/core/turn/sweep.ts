import { endApproval } from '../../db/approval/approvals.ts'
import { findExpired } from '../../db/approval/due-approvals.ts'
import { inTransaction } from '../../db/database.ts'
import { tryLock } from '../../db/locks.ts'
import { deleteOldReplyPaths } from '../../db/outbox/reply-paths.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { takeLostTurns, takeStrandedTurns } from '../../db/turn/lost-turns.ts'
import { endTurn, getTurn } from '../../db/turn/turns.ts'
import { english } from '../../domain/messages/messages.ts'
import { persistAlways } from '../approval/apply-always.ts'
import { emitApprovalDecided } from '../approval/decide/settle-decision.ts'
import { runRulesOrders } from '../approval/rules-orders.ts'
import {
  escalateApprovals,
  expireApprovals,
  remindOfApprovals,
  repostUndeliveredCards,
  settleUnexplainedDenials,
} from '../approval/sweep-approvals.ts'
import { restartBoxes } from '../call/restart-boxes.ts'
import { endAbandoned } from '../call/result/end-abandoned.ts'
import { resendCalls, resendCancels } from '../call/send-call.ts'
import { postLatePreviews } from '../call/settle-preview.ts'
import { updateCard } from '../card/cards.ts'
import { showReadyBatches } from '../card/route-card.ts'
import { attempt, endNotice, transact } from '../transaction.ts'
import { closeTurn } from './end-turn.ts'
import { startNextTurn } from './start-turn.ts'
import { emitTurnEnded, lockTurn, type TurnContext } from './turn-context.ts'

/** Stored with the turn, in the language of logs. */
const failure = english.cards.cancelReasons.expired

/** Sweeps from one search for turns that nothing would wake to the next, half a minute. */
const sweepsBetween = 30

/** Milliseconds after which a due turn counts as signalled to no live agent. */
const forgottenMs = 2_000

/**
 * Finds work left by a crash or a lost signal and signals it again (rule 3). One agent at a time; a second would do no harm
 * (INT-39). Rejects only if the database is unreachable. `listeningSince`: start of this agent's unbroken listening; no worker
 * counts as dead before. Without signals, no call is sent again.
 */
export async function sweep(
  ctx: TurnContext,
  listeningSince: Date,
  signalsPass = true,
): Promise<void> {
  await inTransaction(ctx.db, async (db) => {
    if (!(await tryLock(db, 'sweeper'))) return
    await attempt(ctx, 'wake lost turns', () => wakeForgotten(ctx))
    await attempt(ctx, 'resend cancels', () => resendCancels(ctx))
    await attempt(ctx, 'restart boxes', () => restartBoxes(ctx))
    await attempt(ctx, 'settle denials', () => settleUnexplainedDenials(ctx))
    await attempt(ctx, 'expire approvals', () => endExpired(ctx))
    await attempt(ctx, 'remind of approvals', () => remindOfApprovals(ctx))
    await attempt(ctx, 'escalate approvals', () => escalateApprovals(ctx))
    await attempt(ctx, 'repost undelivered cards', () => repostUndeliveredCards(ctx))
    await attempt(ctx, 'write rules', () => persistAlways(ctx))
    await attempt(ctx, 'list rules', () => runRulesOrders(ctx))
    await attempt(ctx, 'post cards', () => postLatePreviews(ctx))
    await attempt(ctx, 'show approval batches', () => showReadyBatches(ctx))
    await attempt(ctx, 'end calls', () => endAbandoned(ctx, listeningSince))
    await attempt(ctx, 'delete old reply paths', () => deleteOldReplyPaths(ctx.db))
    if (signalsPass) await attempt(ctx, 'resend calls', () => resendCalls(ctx))
  })
}

async function wakeForgotten(ctx: TurnContext): Promise<void> {
  for (const turn of await takeLostTurns(ctx.db, forgottenMs)) {
    await ctx.signals.turnDue(turn.id, turn.epoch)
  }
}

/** Signals turns that would wait for ever, and logs them: no transition leaves a turn so. */
async function wakeStranded(ctx: TurnContext): Promise<void> {
  for (const turn of await takeStrandedTurns(ctx.db)) {
    ctx.log.warn({ turn: turn.id }, 'turn had nothing left to wait for, continued')
    await ctx.signals.turnDue(turn.id, turn.epoch)
  }
}

/** APPR-19: applies the configured action to expired approvals. */
export async function endExpired(ctx: TurnContext): Promise<void> {
  if (ctx.settings.onExpiry !== 'stop') return expireApprovals(ctx)
  for (const approval of await findExpired(ctx.db)) {
    await attempt(ctx, 'stop a turn', () => stop(ctx, approval))
  }
}

/** Stops the turn as with `/stop`; messages written meanwhile get a turn of their own. */
function stop(ctx: TurnContext, expired: ApprovalRow): Promise<void> {
  return transact(ctx, async (tx) => {
    const turn = await getTurn(tx.db, expired.turn_id)
    const { session, conversation } = await lockTurn(tx, turn)
    const ended = await endApproval(tx.db, expired.id, { state: 'expired' })
    if (ended === undefined) return
    emitApprovalDecided(tx.effects, ended)
    const at = (ended.decided_at ?? new Date()).toISOString()
    await updateCard(tx, ended, { kind: 'expired', at })
    const stopped = await endTurn(tx.db, turn.id, { state: 'stopped', failure })
    if (stopped !== undefined) emitTurnEnded(tx.effects, stopped)
    tx.effects.abortTurn(turn.id)
    await closeTurn(tx, turn, { why: 'expired' })
    const text = tx.ctx.messages.approvals.expiredStopped(ended)
    const own = { id: turn.id, conversationId: conversation.id }
    await endNotice(tx, own, text, turn.caller_id)
    await startNextTurn(tx, session)
  })
}

/**
 * Creates one agent's sweeper. After an outage of database or queue, when greetings went unheard, workers get as long to be heard
 * as at start (INT-32, INT-33).
 */
export function createSweeper(ctx: TurnContext): () => Promise<void> {
  let listeningSince = new Date()
  let sweeps = 0
  return async () => {
    try {
      const signalsPass = await ctx.signals.pass()
      if (!signalsPass) listeningSince = new Date()
      if (sweeps % sweepsBetween === 0)
        await attempt(ctx, 'wake stranded turns', () => wakeStranded(ctx))
      sweeps += 1
      await sweep(ctx, listeningSince, signalsPass)
    } catch (error) {
      listeningSince = new Date()
      throw error
    }
  }
}
