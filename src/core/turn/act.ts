import { findUnappliedAlways, hasApproval } from '../../db/approval/approvals.ts'
import { findBatch } from '../../db/call/tool-calls.ts'
import type { ToolCallRow, TurnRow } from '../../db/schema.ts'
import { findLastWritten, findUnread, getMessageBody } from '../../db/turn/messages.ts'
import { findRecentCalls } from '../../db/turn/recent-calls.ts'
import { getSession } from '../../db/turn/sessions.ts'
import { endTurn, updateLeasedTurn } from '../../db/turn/turns.ts'
import { errorSentence } from '../../domain/tool/tool-error.ts'
import { eachOf } from '../../util/each-of.ts'
import { cascadeAlways, persistAlways } from '../approval/apply-always.ts'
import { countEditors } from '../approval/decide/count-editors.ts'
import { requestApprovals } from '../approval/request-approvals.ts'
import type { Ask } from '../call/ask-again.ts'
import { describeOver, readBudgets, usedUp } from '../call/budgets.ts'
import { dispatchReady } from '../call/dispatch-ready.ts'
import type { LoadedFacts } from '../call/gate/load-facts.ts'
import { loadFacts } from '../call/gate/load-facts.ts'
import { type Reviewed, settleReviews } from '../call/settle-reviews.ts'
import { unreviewedOf } from '../call/unreviewed.ts'
import { endNotice } from '../outbox/post.ts'
import { startNextTurn } from '../session/start-turn.ts'
import { readSaid } from '../stored.ts'
import type { TurnTransaction } from '../transaction.ts'
import { transact } from '../transaction.ts'
import { doomResults, doomSteps, findDoomLoop } from './find-doom-loop.ts'
import { handOn } from './hand-on.ts'
import { lockTurn } from './lock-turn.ts'
import { holdLease } from './model/hold-lease.ts'
import { reviewCall, unasked } from './model/review-call.ts'
import { postRemark } from './post-remark.ts'
import type { Stepped } from './stepped.ts'
import { tellEnded } from './tell-ended.ts'
import type { TurnContext } from './turn-context.ts'

/** What a person wrote last that tells what they want; a "yes" alone does not. */
const lastMessages = 3

/** Reviews of one batch that are under way at once. */
const mostAtOnce = 8

/** The acting step: what was decided meanwhile takes effect, what may run is sent; when all is settled, think again. */
export async function act(ctx: TurnContext, turn: TurnRow): Promise<Stepped> {
  const known = await reviewBatch(ctx, turn)
  if (known === undefined) return { kind: 'over' }
  // One that is decided from here on makes the turn due again.
  const hasAlways = (await findUnappliedAlways(ctx.db, turn.session_id)).length > 0
  if (hasAlways) await persistAlways(ctx, turn.session_id)
  return transact(ctx, async (tx): Promise<Stepped> => {
    const locked = await lockTurn(tx, turn)
    const own = await updateLeasedTurn(tx.db, turn.id, turn.epoch, {})
    if (own === undefined) return { kind: 'over' }
    if (hasAlways) await cascadeAlways(locked)
    const current = { ...locked, turn: own }
    await applyReviews(current, known)
    const batch = await findBatch(tx.db, own.id, own.step)
    const sent = await sendReady(current, batch)
    if (!(await countEditors(tx, own.id))) return continueTurn(current, sent)
    const approved = await findBatch(tx.db, own.id, own.step)
    return continueTurn(current, await sendReady(current, approved))
  })
}

/** Dispatches what may run, and asks about what must be asked; answers the batch as it is then. */
export async function sendReady(
  tx: TurnTransaction<TurnContext>,
  batch: readonly ToolCallRow[],
  known?: LoadedFacts,
): Promise<readonly ToolCallRow[]> {
  if (batch.every((call) => call.state !== 'allowed')) return batch
  const facts = known ?? (await loadFacts(tx.ctx, tx.db, tx.session, tx.turn))
  const judging = { ...tx, facts }
  const asks = await dispatchReady(judging, batch)
  const isRefused = await requestApprovals(judging, asks)
  const current = await findBatch(tx.db, tx.turn.id, tx.turn.step)
  // What waited behind a call that has ended just now may go.
  return isRefused ? sendReady(tx, current, facts) : current
}

/** Where a batch stands: what is to be reviewed is, still open calls wait for somebody, a settled one is the model's turn again. */
export async function continueTurn(
  tx: TurnTransaction<TurnContext>,
  batch: readonly ToolCallRow[],
): Promise<Stepped> {
  const { turn } = tx
  if (unreviewedOf(tx.ctx, batch).length > 0) return { kind: 'continue', turn }
  if (batch.some((call) => call.settled_at === null)) return { kind: 'wait' }
  if (turn.kind !== 'message') return endOwn(tx, batch[0])
  const circling = await endDoomLoop(tx)
  if (circling !== undefined) return circling
  const next = await updateLeasedTurn(tx.db, turn.id, turn.epoch, { state: 'thinking' })
  return next === undefined ? { kind: 'over' } : { kind: 'continue', turn: next }
}

/** TERM-03, BASH-07: a person's own command or `/undo` has no model to answer to; its output is the answer. */
async function endOwn(tx: TurnTransaction, call: ToolCallRow | undefined): Promise<Stepped> {
  const ended = await endTurn(tx.db, tx.turn.id, { state: 'done' })
  if (ended !== undefined) tellEnded(tx.effects, ended)
  const { turn, conversation } = tx
  const own = { id: turn.id, conversationId: conversation.id }
  await endNotice(tx, own, ownWords(turn, call), turn.caller_id)
  await startNextTurn(tx, tx.session)
  return { kind: 'over' }
}

/** What a person reads of their own call: its output, or in words why there is none, never the block that is made for models. */
function ownWords({ kind }: TurnRow, call: ToolCallRow | undefined): string {
  const result = call?.result ?? ''
  if (call?.is_error !== true) return result === '' ? '(no output)' : result
  if (kind === 'undo') return `Undo failed: ${errorSentence(result)}`
  const what = call.queued_at === null ? 'The command was not run' : 'The command failed'
  return `${what}: ${errorSentence(result)}`
}

/** POL-05: what the reviewer said takes effect, and people are asked about what is left to ask. */
async function applyReviews(
  tx: TurnTransaction<TurnContext>,
  known: readonly Reviewed[],
): Promise<void> {
  if (known.length === 0) return
  const facts = await loadFacts(tx.ctx, tx.db, tx.session, tx.turn)
  const asking = { ...tx, facts }
  const asks = await settleReviews(asking, known)
  if (asks.length === 0) return
  await remark(tx, asks)
  await requestApprovals(asking, asks)
}

/** Once a batch: who is asked about it later has read it already. */
async function remark(tx: TurnTransaction, asks: readonly Ask[]): Promise<void> {
  const messageId = asks[0]?.call.message_id
  if (messageId == null || (await hasApproval(tx.db, messageId))) return
  const { spoken, text } = readSaid(await getMessageBody(tx.db, messageId))
  await postRemark(tx, spoken ?? text)
}

/**
 * LOOP-11: ends a turn that goes round in circles, between its batch and the next step, and tells the person why. undefined:
 * it does not, or its caller has written something that the next step will read.
 */
async function endDoomLoop(tx: TurnTransaction): Promise<Stepped | undefined> {
  const { turn, session, conversation } = tx
  // At the cap the next step is the last one anyway, and calls nothing (LOOP-10).
  if (turn.step < doomResults || turn.step >= tx.ctx.settings.maxToolIterations) return undefined
  const last = { steps: doomSteps, results: doomResults }
  const loop = findDoomLoop(await findRecentCalls(tx.db, turn, last))
  if (loop === undefined) return undefined
  const unread = await findUnread(tx.db, session.id)
  if (unread.some(({ author }) => author === turn.caller_id)) return undefined
  const end = { state: 'stopped', epoch: turn.epoch, failure: `doom loop: ${loop}` } as const
  const ended = await endTurn(tx.db, turn.id, end)
  if (ended === undefined) return { kind: 'over' }
  tellEnded(tx.effects, ended)
  tx.ctx.log.warn({ turn: turn.id, loop }, 'a turn went round in circles')
  const text = `Stopped, since it went round in circles: ${loop}. Write again to go on, best with what should be done otherwise.`
  const own = { id: turn.id, conversationId: conversation.id }
  await endNotice(tx, own, text, turn.caller_id)
  await startNextTurn(tx, session)
  return { kind: 'over' }
}

/**
 * POL-05: asks the reviewer about each call of the batch that waits for it. Under the lease and outside any transaction, as
 * every model call: who is killed meanwhile has stored nothing, and whoever takes the turn over asks again. undefined: the turn
 * is somebody else's by now, or over.
 */
async function reviewBatch(
  ctx: TurnContext,
  turn: TurnRow,
): Promise<readonly Reviewed[] | undefined> {
  if (ctx.reviews === undefined) return []
  const waiting = unreviewedOf(ctx, await findBatch(ctx.db, turn.id, turn.step))
  if (waiting.length === 0) return []
  const { db } = ctx
  const whose = { session: await getSession(db, turn.session_id), callerId: turn.caller_id }
  const over = usedUp(await readBudgets(ctx, db, whose))
  if (over !== undefined) return waiting.map((call) => unasked(ctx, call, describeOver(over)))
  const written = await findLastWritten(db, turn.session_id, turn.caller_id, lastMessages)
  const found = await holdLease(ctx, turn, async (held) => {
    const reviewed = await eachOf(waiting, mostAtOnce, async (call) =>
      held.aborted
        ? unasked(ctx, call, 'the turn went on elsewhere')
        : reviewCall(ctx, { turn, call, written, held }),
    )
    return held.aborted ? undefined : reviewed
  })
  // An acting turn is found by nobody unless it is due.
  if (found === undefined) await handOn(ctx, turn)
  return found
}
