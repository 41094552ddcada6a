import { findUnappliedAlways, hasApproval } from '../../db/approval/approvals.ts'
import { findBatch } from '../../db/call/tool-calls.ts'
import type { ToolCallRow, TurnRow } from '../../db/schema.ts'
import { findLastWritten, findUnread, getMessageBody } from '../../db/turn/messages.ts'
import { findRecentCalls } from '../../db/turn/recent-calls.ts'
import { getSession } from '../../db/turn/sessions.ts'
import { holdTurn } from '../../db/turn/turn-steps.ts'
import { endTurn, releaseTurn } from '../../db/turn/turns.ts'
import { english, type Messages } from '../../domain/messages/messages.ts'
import { emptyOutput } from '../../domain/tool/tool-call.ts'
import { errorSentence } from '../../domain/tool/tool-error.ts'
import { mapConcurrently } from '../../util/each-of.ts'
import { cascadeAlways, persistAlways } from '../approval/apply-always.ts'
import { countEditors } from '../approval/decide/edit-call.ts'
import { requestApprovals } from '../approval/request-approvals.ts'
import type { Ask } from '../call/ask-again.ts'
import { describeExceeded, readBudgets, usedUp } from '../call/budgets.ts'
import {
  dispatchReady,
  type Reviewed,
  settleReviews,
  unreviewedOf,
} from '../call/dispatch-ready.ts'
import { type LoadedFacts, loadFacts } from '../call/gate/call-context.ts'
import { readAssistantMessage } from '../stored.ts'
import { endNotice, type TurnTransaction, transact } from '../transaction.ts'
import { describeLoop, doomResults, doomSteps, findDoomLoop } from './find-doom-loop.ts'
import { reviewCall, skippedReview } from './model/review-call.ts'
import { startNextTurn } from './start-turn.ts'
import {
  emitTurnEnded,
  holdLease,
  postRemark,
  releaseEndingTurn,
  type Stepped,
  type TurnContext,
} from './turn-context.ts'

/** Number of a person's last messages shown to the reviewer; a "yes" alone does not tell what they want. */
const lastMessages = 3

/** Maximum concurrent reviews of one batch. */
const mostAtOnce = 8

/** Acting step: applies decisions made meanwhile and sends what may run; once all calls are settled, the turn thinks again. */
export async function act(
  ctx: TurnContext,
  turn: TurnRow,
  mayHaveAlways: boolean,
): Promise<Stepped> {
  const known = await reviewBatch(ctx, turn)
  if (known === undefined) return { kind: 'over' }
  const hasAlways = mayHaveAlways && (await findUnappliedAlways(ctx.db, turn.session_id)).length > 0
  if (hasAlways) await persistAlways(ctx, turn.session_id)
  const stepped = await transact(ctx, async (tx): Promise<Stepped | 'has_always'> => {
    const rows = await holdTurn(tx.db, turn)
    if (rows === undefined) return { kind: 'over' }
    const current = { ...tx, ...rows }
    if (hasAlways) await cascadeAlways(current)
    await applyReviews(current, known)
    const batch = await findBatch(tx.db, turn.id, rows.turn.step)
    // Decided after the turn was claimed: its rules are written outside this transaction, before anything is sent.
    const isDecided = !hasAlways && batch.some((call) => call.state === 'allowed')
    if (isDecided && (await findUnappliedAlways(tx.db, turn.session_id)).length > 0)
      return 'has_always'
    const sent = await sendReady(current, batch)
    const wasEdited = sent.some(({ editor_votes }) => editor_votes)
    if (!wasEdited || !(await countEditors(tx, turn.id))) return continueTurn(current, sent)
    const approved = await findBatch(tx.db, turn.id, rows.turn.step)
    return continueTurn(current, await sendReady(current, approved))
  })
  return stepped === 'has_always' ? act(ctx, turn, true) : stepped
}

/**
 * Dispatches what may run and requests the missing approvals; returns the batch afterwards, in which calls that were only sent
 * are still `allowed`. `isNew`: the batch was made by this transaction, and its allowed calls have no approval.
 */
export async function sendReady(
  tx: TurnTransaction<TurnContext>,
  batch: readonly ToolCallRow[],
  known: { readonly facts?: LoadedFacts; readonly isNew?: boolean } = {},
): Promise<readonly ToolCallRow[]> {
  if (batch.every((call) => call.state !== 'allowed')) return batch
  const facts = known.facts ?? (await loadFacts(tx.ctx, tx.db, tx.session, tx.turn))
  const judging = { ...tx, facts }
  const { asks, areSent } = await dispatchReady(judging, batch, known.isNew === true)
  if (areSent && tx.ctx.reviews === undefined) return batch
  const isRefused = await requestApprovals(judging, asks)
  const current = await findBatch(tx.db, tx.turn.id, tx.turn.step)
  // Calls that waited behind a refused one may run now.
  const later = { facts: { ...facts, isMutating: undefined } }
  return isRefused ? sendReady(tx, current, later) : current
}

/**
 * Returns the next step of a batch: continue for reviews, leave the turn while calls are open, or think once all are settled.
 */
export async function continueTurn(
  tx: TurnTransaction<TurnContext>,
  batch: readonly ToolCallRow[],
): Promise<Stepped> {
  const { turn } = tx
  if (unreviewedOf(tx.ctx, batch).length > 0) return { kind: 'continue', turn }
  if (batch.some((call) => call.settled_at === null)) return leaveTurn(tx)
  if (turn.kind !== 'message') return endDirectTurn(tx, batch[0])
  const circling = await endDoomLoop(tx)
  if (circling !== undefined) return circling
  // Its next step stores that it thinks.
  return { kind: 'continue', turn: { ...turn, state: 'thinking' } }
}

/** Releases a turn that waits for people or workers. What became due while we held it was turned away, and is woken now. */
async function leaveTurn({ db, effects, turn }: TurnTransaction): Promise<Stepped> {
  const released = await releaseTurn(db, turn.id, turn.epoch)
  if (released !== undefined && released.next_due !== null) effects.wakeTurn(released)
  return { kind: 'over' }
}

/** TERM-03, BASH-07: ends the turn of a person's own command or `/undo`, whose output is the answer. */
async function endDirectTurn(tx: TurnTransaction, call: ToolCallRow | undefined): Promise<Stepped> {
  const ended = await endTurn(tx.db, tx.turn.id, { state: 'done' })
  if (ended !== undefined) emitTurnEnded(tx.effects, ended)
  const { turn, conversation } = tx
  const own = { id: turn.id, conversationId: conversation.id }
  await endNotice(tx, own, directResultText(tx.ctx.messages, turn, call), turn.caller_id)
  await startNextTurn(tx, tx.session)
  return { kind: 'over' }
}

/** Returns the text a person sees of their own call: its output, or the error in words, never the block made for models. */
function directResultText(
  { turns }: Messages,
  { kind }: TurnRow,
  call: ToolCallRow | undefined,
): string {
  const result = call?.result ?? ''
  const isEmpty = result === '' || result === emptyOutput
  if (call?.is_error !== true) return isEmpty ? turns.noOutput : result
  const why = errorSentence(result)
  if (kind === 'undo') return turns.undoFailed({ why })
  return call.queued_at === null ? turns.commandNotRun({ why }) : turns.commandFailed({ why })
}

/** POL-05: applies the reviews and requests the approvals left. */
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

/** Posted once for each batch: if an approval exists, people have read it already. */
async function remark(tx: TurnTransaction, asks: readonly Ask[]): Promise<void> {
  const messageId = asks[0]?.call.message_id
  if (messageId == null || (await hasApproval(tx.db, messageId))) return
  const { spoken, text } = readAssistantMessage(await getMessageBody(tx.db, messageId))
  await postRemark(tx, spoken ?? text)
}

/**
 * LOOP-11: stops a turn caught in a doom loop, between its batch and the next step, with a notice. undefined: no loop, or its
 * caller wrote something that the next step will read.
 */
async function endDoomLoop(tx: TurnTransaction): Promise<Stepped | undefined> {
  const { turn, session, conversation } = tx
  // At the cap the next step is the last anyway and calls nothing (LOOP-10).
  if (turn.step < doomResults || turn.step >= tx.ctx.settings.maxToolIterations) return undefined
  const last = { steps: doomSteps, results: doomResults }
  const found = findDoomLoop(await findRecentCalls(tx.db, turn, last))
  if (found === undefined) return undefined
  const loop = describeLoop(english.turns, found)
  const unread = await findUnread(tx.db, session.id)
  if (unread.some(({ author }) => author === turn.caller_id)) return undefined
  const end = { state: 'stopped', epoch: turn.epoch, failure: `doom loop: ${loop}` } as const
  const ended = await endTurn(tx.db, turn.id, end)
  if (ended === undefined) return { kind: 'over' }
  emitTurnEnded(tx.effects, ended)
  tx.ctx.log.warn({ turn: turn.id, loop }, 'turn stopped: doom loop')
  const { turns } = tx.ctx.messages
  const text = turns.loopStopped({ loop: describeLoop(turns, found) })
  const own = { id: turn.id, conversationId: conversation.id }
  await endNotice(tx, own, text, turn.caller_id)
  await startNextTurn(tx, session)
  return { kind: 'over' }
}

/**
 * POL-05: reviews each waiting call of the batch, under the lease and outside any transaction, like every model call: a crash
 * stores nothing, and the next holder asks again. undefined: the turn was lost or is over.
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
  if (over !== undefined)
    return waiting.map((call) => skippedReview(ctx, call, describeExceeded(ctx.messages, over)))
  const written = await findLastWritten(db, turn.session_id, turn.caller_id, lastMessages)
  const found = await holdLease(ctx, turn, async (held) => {
    const reviewed = await mapConcurrently(waiting, mostAtOnce, async (call) =>
      held.aborted
        ? skippedReview(ctx, call, 'the turn went on elsewhere')
        : reviewCall(ctx, { turn, call, written, held }),
    )
    return held.aborted ? undefined : reviewed
  })
  // An acting turn is only found if it is due.
  if (found === undefined) await releaseEndingTurn(ctx, turn)
  return found
}
