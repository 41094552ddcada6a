import { findOverflowOfCall } from '../../../db/call/overflow.ts'
import { getCall } from '../../../db/call/tool-calls.ts'
import type { ToolCallRow, TurnRow } from '../../../db/schema.ts'
import { findUnsummarised, settleSummary } from '../../../db/turn/summaries.ts'
import { releaseTurn, updateLeasedTurn } from '../../../db/turn/turns.ts'
import { endUsage, startUsage } from '../../../db/turn/usage.ts'
import { type Model, type ModelAnswer, ModelError } from '../../../ports/model.ts'
import { readBudgets, usedUp } from '../../call/budgets.ts'
import {
  type SummaryQuestion,
  summaryQuestion,
  summaryResult,
} from '../../call/output/summary-words.ts'
import { transact } from '../../transaction.ts'
import { lockTurn } from '../lock-turn.ts'
import type { TurnContext } from '../turn-context.ts'
import { askSummary } from './ask-summary.ts'
import { costOf } from './cost-of.ts'
import { modelOf } from './model-of.ts'
import { toModelEvent } from './to-model-event.ts'

/**
 * OUT-13: lets the turn's model sum up what its last calls gave too much of, before it is asked how to go on. A process that dies
 * over one leaves it wanted, and whoever takes the turn makes it; one that fails is asked of the second model, and one that fails
 * there too leaves head and tail. False: the turn is not ours any more.
 */
export async function summariseOutputs(ctx: TurnContext, turn: TurnRow): Promise<boolean> {
  if (ctx.settings.summariseOutput !== true) return true
  for (const call of await findUnsummarised(ctx.db, turn.id)) {
    if (!(await summarise(ctx, turn, call))) return false
  }
  return true
}

/** `by`: the second model, once the turn's own gave no summary. */
async function summarise(
  ctx: TurnContext,
  turn: TurnRow,
  call: ToolCallRow,
  by?: Model,
): Promise<boolean> {
  const begun = await begin(ctx, turn, call, by)
  if (begun === 'lost') return false
  if (begun === 'none') return true
  const startedAt = performance.now()
  const asked = await askSummary(ctx, turn, begun.model, begun.question)
  const ms = performance.now() - startedAt
  if (asked instanceof ModelError && asked.kind === 'aborted') {
    await endUsage(ctx.db, begun.usageId, 'superseded')
    ctx.observer.record(toModelEvent(begun, { outcome: 'superseded', ms }))
    await releaseTurn(ctx.db, turn.id, turn.epoch)
    return false
  }
  const stored = await store(ctx, begun, asked, ms)
  return stored === 'wanted' ? summarise(ctx, turn, call, ctx.fallback) : stored === 'settled'
}

interface Begun {
  readonly turn: TurnRow
  readonly call: ToolCallRow
  readonly model: Model
  readonly usageId: string
  readonly question: SummaryQuestion
  readonly characters: number
  /** Of the whole output. */
  readonly reference: string
}

/** Writes down that a model call begins. `none`: no summary is to be made of this call's output. */
function begin(
  ctx: TurnContext,
  turn: TurnRow,
  wanting: ToolCallRow,
  by: Model | undefined,
): Promise<Begun | 'none' | 'lost'> {
  return transact(ctx, async (tx) => {
    const { session } = await lockTurn(tx, turn)
    const own = await updateLeasedTurn(tx.db, turn.id, turn.epoch, {})
    if (own === undefined) return 'lost'
    const call = await getCall(tx.db, wanting.id)
    // It may have got the one of another call with the same remembered result.
    if (call.summary_state !== 'wanted') return 'none'
    const days = ctx.settings.overflowRetentionDays
    const whole = await findOverflowOfCall(tx.db, call.cached_from ?? call.id, days)
    const budgets = await readBudgets(ctx, tx.db, { session, callerId: own.caller_id })
    if (whole === undefined || usedUp(budgets) !== undefined) {
      await settleSummary(tx.db, call, undefined)
      return 'none'
    }
    const model = by ?? modelOf(ctx, own, session)
    const question = summaryQuestion(call.tool, whole.content, model.contextTokens)
    const usageId = await startUsage(tx.db, own, model)
    const { id: reference, content } = whole
    return { turn: own, call, model, usageId, question, characters: content.length, reference }
  })
}

/** `wanted`: it failed, and the second model is still to be asked. `lost`: the turn is not ours any more. */
function store(
  ctx: TurnContext,
  begun: Begun,
  asked: ModelAnswer | ModelError,
  ms: number,
): Promise<'settled' | 'wanted' | 'lost'> {
  return transact(ctx, async (tx) => {
    const { turn, call, model, usageId } = begun
    await lockTurn(tx, turn)
    const own = await updateLeasedTurn(tx.db, turn.id, turn.epoch, {})
    if (asked instanceof ModelError) {
      await endUsage(tx.db, usageId, 'failed')
      tx.effects.tell(toModelEvent(begun, { outcome: asked.kind, ms }))
    } else {
      const cost = costOf(ctx, model.name, asked.usage)
      const outcome = own === undefined ? 'superseded' : 'done'
      await endUsage(tx.db, usageId, outcome, asked.usage, cost)
      tx.effects.tell(toModelEvent(begun, { outcome, ms, usage: asked.usage, cost }))
    }
    if (own === undefined) return 'lost'
    const summary = asked instanceof ModelError ? undefined : summaryOf(ctx, begun, asked.text)
    if (summary === undefined) {
      const why = asked instanceof ModelError ? asked.kind : 'no words'
      ctx.log.warn({ turn: turn.id, call: call.id, model: model.name, why }, 'no summary was made')
      if (ctx.fallback !== undefined && ctx.fallback !== model) return 'wanted'
    }
    await settleSummary(tx.db, call, summary)
    return 'settled'
  })
}

function summaryOf(ctx: TurnContext, begun: Begun, said: string): string | undefined {
  const { call, characters, reference } = begun
  const most = ctx.settings.overflowThreshold
  const summary = summaryResult(said, { characters, reference, most })
  return summary === undefined ? undefined : `${beforeOutput(call)}${summary}`
}

/** What stands before the output in the call's result: of one that failed, its error. */
function beforeOutput({ result, output }: ToolCallRow): string {
  const at = output === null || output === '' ? -1 : (result ?? '').lastIndexOf(output)
  return at === -1 ? '' : (result ?? '').slice(0, at)
}
