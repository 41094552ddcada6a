import type { TurnRow } from '../../../db/schema.ts'
import { type Model, type ModelAnswer, ModelError } from '../../../ports/model.ts'
import type { SummaryQuestion } from '../../call/output/summary-words.ts'
import type { TurnContext } from '../turn-context.ts'
import { holdLease } from './hold-lease.ts'

/** A summary that takes longer is not waited for; nor one that takes longer than any answer may. */
const patienceMs = 120_000

/** Asks a model for a summary, under the turn's lease; without tools, and apart from the session's own prompts. */
export async function askSummary(
  ctx: TurnContext,
  turn: TurnRow,
  model: Model,
  question: SummaryQuestion,
): Promise<ModelAnswer | ModelError> {
  const deadline = AbortSignal.timeout(Math.min(patienceMs, ctx.settings.modelTimeoutMs))
  try {
    return await holdLease(ctx, turn, (held) =>
      model.answer({
        system: question.system,
        messages: [{ role: 'user', author: 'Countersign', text: question.text }],
        tools: [],
        toolChoice: 'none',
        cacheKey: `summary-${turn.session_id}`,
        signal: AbortSignal.any([held, deadline]),
      }),
    )
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    if (error.kind !== 'aborted' || !deadline.aborted) return error
    return new ModelError('unreachable', 'the model did not sum up in time', { cause: error })
  }
}
