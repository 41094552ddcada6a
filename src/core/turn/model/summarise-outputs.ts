import { findOverflowOfCall } from '../../../db/call/overflow.ts'
import { getCall } from '../../../db/call/tool-calls.ts'
import type { ToolCallRow, TurnRow } from '../../../db/schema.ts'
import { findUnsummarised, settleSummary } from '../../../db/turn/summaries.ts'
import { updateLeasedTurn } from '../../../db/turn/turns.ts'
import { endUsage, startUsage } from '../../../db/turn/usage.ts'
import { type Model, type ModelAnswer, ModelError } from '../../../ports/model.ts'
import { readBudgets, usedUp } from '../../call/budgets.ts'
import {
  type SummaryPrompt,
  summaryPrompt,
  summaryResult,
} from '../../call/output/summary-words.ts'
import { transact } from '../../transaction.ts'
import {
  askSummary,
  costOf,
  lockTurn,
  modelOf,
  releaseEndingTurn,
  type TurnContext,
  toModelEvent,
} from '../turn-context.ts'

/**
 * OUT-13: has the turn's model summarise overlong outputs of its last calls before it continues. After a crash the next holder
 * repeats it; if the model fails, the second one is asked, and if that fails too, head and tail remain. Returns false if the turn
 * was lost.
 */
export async function summariseOutputs(ctx: TurnContext, turn: TurnRow): Promise<boolean> {
  if (ctx.settings.summariseOutput !== true) return true
  for (const call of await findUnsummarised(ctx.db, turn.id)) {
    if (!(await summarise(ctx, turn, call))) return false
  }
  return true
}

/** Summarises one output; `by`: the second model, after the turn's own failed. */
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
    await releaseEndingTurn(ctx, turn)
    return false
  }
  const stored = await store(ctx, begun, asked, ms)
  return stored === 'wanted' ? summarise(ctx, turn, call, ctx.fallback) : stored === 'settled'
}

interface StartedSummary {
  readonly turn: TurnRow
  readonly call: ToolCallRow
  readonly model: Model
  readonly usageId: string
  readonly question: SummaryPrompt
  readonly characters: number
  /** Reference to the whole output. */
  readonly reference: string
}

/** Stores that a model call starts. `none`: this output needs no summary. */
function begin(
  ctx: TurnContext,
  turn: TurnRow,
  wanting: ToolCallRow,
  by: Model | undefined,
): Promise<StartedSummary | 'none' | 'lost'> {
  return transact(ctx, async (tx) => {
    const { session } = await lockTurn(tx, turn)
    const own = await updateLeasedTurn(tx.db, turn.id, turn.epoch, {})
    if (own === undefined) return 'lost'
    const call = await getCall(tx.db, wanting.id)
    // It may have got the summary of another call with the same cached result.
    if (call.summary_state !== 'wanted') return 'none'
    const days = ctx.settings.overflowRetentionDays
    const whole = await findOverflowOfCall(tx.db, call.cached_from ?? call.id, days)
    const budgets = await readBudgets(ctx, tx.db, { session, callerId: own.caller_id })
    if (whole === undefined || usedUp(budgets) !== undefined) {
      await settleSummary(tx.db, call, undefined)
      return 'none'
    }
    const model = by ?? modelOf(ctx, own, session)
    const question = summaryPrompt(call.tool, whole.content, model.contextTokens)
    const usageId = await startUsage(tx.db, own, model)
    const { id: reference, content } = whole
    return { turn: own, call, model, usageId, question, characters: content.length, reference }
  })
}

/** Stores the summary. `wanted`: it failed and the second model is to be asked. `lost`: the turn was lost. */
function store(
  ctx: TurnContext,
  begun: StartedSummary,
  asked: ModelAnswer | ModelError,
  ms: number,
): Promise<'settled' | 'wanted' | 'lost'> {
  return transact(ctx, async (tx) => {
    const { turn, call, model, usageId } = begun
    await lockTurn(tx, turn)
    const own = await updateLeasedTurn(tx.db, turn.id, turn.epoch, {})
    if (asked instanceof ModelError) {
      await endUsage(tx.db, usageId, 'failed')
      tx.effects.emit(toModelEvent(begun, { outcome: asked.kind, ms }))
    } else {
      const cost = costOf(ctx, model.name, asked.usage)
      const outcome = own === undefined ? 'superseded' : 'done'
      await endUsage(tx.db, usageId, outcome, asked.usage, cost)
      tx.effects.emit(toModelEvent(begun, { outcome, ms, usage: asked.usage, cost }))
    }
    if (own === undefined) return 'lost'
    const summary = asked instanceof ModelError ? undefined : summaryOf(ctx, begun, asked.text)
    if (summary === undefined) {
      const why = asked instanceof ModelError ? asked.kind : 'no words'
      ctx.log.warn(
        { turn: turn.id, call: call.id, model: model.name, why },
        'model returned no summary',
      )
      if (ctx.fallback !== undefined && ctx.fallback !== model) return 'wanted'
    }
    await settleSummary(tx.db, call, summary)
    return 'settled'
  })
}

function summaryOf(ctx: TurnContext, begun: StartedSummary, said: string): string | undefined {
  const { call, characters, reference } = begun
  const most = ctx.settings.overflowThreshold
  const summary = summaryResult(said, { characters, reference, most })
  return summary === undefined ? undefined : `${beforeOutput(call)}${summary}`
}

/** Returns the text before the output in the call's result, such as the error of a failed call. */
function beforeOutput({ result, output }: ToolCallRow): string {
  const at = output === null || output === '' ? -1 : (result ?? '').lastIndexOf(output)
  return at === -1 ? '' : (result ?? '').slice(0, at)
}
