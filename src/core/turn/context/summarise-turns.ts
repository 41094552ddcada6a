import { countMessagesOf } from '../../../db/turn/messages.ts'
import { findSummary, insertSummary } from '../../../db/turn/summaries.ts'
import { releaseTurn, updateLeasedTurn } from '../../../db/turn/turns.ts'
import { endUsage } from '../../../db/turn/usage.ts'
import { type ModelAnswer, ModelError } from '../../../ports/model.ts'
import { newId } from '../../../util/ids.ts'
import { keptSummary, summaryBody, turnsPrompt } from '../../call/output/summary-words.ts'
import { notice, type Transaction, transact } from '../../transaction.ts'
import { type FailedCall, settleFailure } from '../model/settle-failure.ts'
import type { ToSummarise } from '../prepare-step.ts'
import {
  askSummary,
  costOf,
  lockTurn,
  type Stepped,
  type TurnContext,
  toModelEvent,
} from '../turn-context.ts'

/**
 * LOOP-12: has the turn's model summarise the oldest turns, as a step of its own under the turn's lease and epoch; after a crash
 * the next holder repeats it. A failed or empty answer is retried later and then by the second model, as any call (MODEL-04); if
 * that fails too, the turns are left out without a summary.
 */
export async function summariseTurns(ctx: TurnContext, wanted: ToSummarise): Promise<Stepped> {
  const { turn, model, plan } = wanted
  const question = turnsPrompt(plan.text, plan.before, plan.mostUnits)
  const startedAt = performance.now()
  const asked = await askSummary(ctx, turn, model, question)
  const ms = performance.now() - startedAt
  if (asked instanceof ModelError) {
    return asked.kind === 'aborted'
      ? abandon(ctx, wanted, ms)
      : fail(ctx, wanted, { error: asked, ms })
  }
  return store(ctx, wanted, asked, ms)
}

/** Abandons the call: a stopped or lost turn has a higher epoch, one that is still ours is released. */
async function abandon(ctx: TurnContext, wanted: ToSummarise, ms: number): Promise<Stepped> {
  const { turn, usageId } = wanted
  await endUsage(ctx.db, usageId, 'superseded')
  ctx.observer.record(toModelEvent(wanted, { outcome: 'superseded', ms }))
  await releaseTurn(ctx.db, turn.id, turn.epoch)
  return { kind: 'over' }
}

function store(
  ctx: TurnContext,
  wanted: ToSummarise,
  { text, usage }: ModelAnswer,
  ms: number,
): Promise<Stepped> {
  const { redact } = ctx
  const words = keptSummary(text, { mostUnits: wanted.plan.mostUnits, redact })
  if (words === undefined) {
    const silence = new ModelError('broken', 'the model gave no summary', { isRetryable: true })
    return fail(ctx, wanted, { error: silence, ms, usage })
  }
  return transact(ctx, async (tx): Promise<Stepped> => {
    await lockTurn(tx, wanted.turn)
    const own = await updateLeasedTurn(tx.db, wanted.turn.id, wanted.turn.epoch, {})
    const cost = costOf(ctx, wanted.model.name, usage)
    const outcome = own === undefined ? 'superseded' : 'done'
    await endUsage(tx.db, wanted.usageId, outcome, usage, cost)
    tx.effects.emit(toModelEvent(wanted, { outcome, ms, usage, cost }))
    if (own === undefined) return { kind: 'over' }
    await keep(tx, wanted, words)
    return { kind: 'continue', turn: own }
  })
}

/** Retries a call without a summary, then uses the second model; after that leaves the turns out without one. */
function fail(ctx: TurnContext, wanted: ToSummarise, failed: FailedCall): Promise<Stepped> {
  const giveUp = async (tx: Transaction): Promise<Stepped> => {
    const { id, epoch } = wanted.turn
    // The answer itself gets the full retry budget.
    const own = await updateLeasedTurn(tx.db, id, epoch, { model_failing_since: null })
    if (own === undefined) return { kind: 'over' }
    const why = ctx.redact(failed.error.message)
    ctx.log.warn(
      { turn: id, why },
      'failed to summarise old turns; they are left out without a summary',
    )
    await keep(tx, wanted, undefined)
    return { kind: 'continue', turn: own }
  }
  return settleFailure(ctx, wanted, { ...failed, giveUp })
}

/**
 * Stores the summary; `words` undefined: the turns are dropped and the earlier summary stays. Stores nothing if messages were
 * deleted since the model was asked, as the summary may contain them; the next step plans anew.
 */
async function keep(
  tx: Transaction,
  { turn, conversation, plan }: ToSummarise,
  words: string | undefined,
): Promise<void> {
  const present = await findSummary(tx.db, turn.session_id)
  const count = await countMessagesOf(tx.db, turn.session_id, plan.ids)
  if (present?.id !== plan.beforeId || count < plan.ids.length) return
  const id = newId()
  const isDropped = words === undefined
  const kept = words ?? plan.before
  const { from, to, turns, messages, authors } = plan
  const isNew = await insertSummary(tx.db, {
    id,
    session_id: turn.session_id,
    turn_id: turn.id,
    from_position: from,
    to_position: to,
    summary: kept ?? null,
    body: summaryBody({ id, turns, messages, words: kept, isDropped }),
    turns,
    messages,
    authors: JSON.stringify(authors),
    is_dropped: isDropped,
  })
  if (!isNew || present !== undefined) return
  const { leftOut, summarised } = tx.ctx.messages.turns
  await notice(tx, conversation.id, isDropped ? leftOut : summarised, turn.caller_id)
}
