import type { TurnRow } from '../../../db/schema.ts'
import { leaseMs, renewLease } from '../../../db/turn/turns.ts'
import { type Model, type ModelAnswer, ModelError } from '../../../ports/model.ts'
import { holdClaim } from '../../../util/hold-claim.ts'
import type { SummaryPrompt } from '../../call/output/summary-words.ts'
import type { TurnContext } from '../turn-context.ts'

/** Time limit for a summary in milliseconds, besides the limit for any answer. */
const patienceMs = 120_000

/** Asks a model for a summary under the turn's lease, without tools and apart from the session's prompts. */
export async function askSummary(
  ctx: TurnContext,
  turn: TurnRow,
  model: Model,
  question: SummaryPrompt,
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

/**
 * Runs `work` while renewing the turn's lease. Its signal fires when the lease is lost or the turn stopped; later results have no
 * effect, because every write of a step names its epoch.
 */
export async function holdLease<T>(
  ctx: TurnContext,
  turn: { readonly id: string; readonly epoch: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { db, log, runningModelCalls } = ctx
  const stopped = new AbortController()
  runningModelCalls.set(turn.id, stopped)
  const renew = () => renewLease(db, turn.id, turn.epoch)
  try {
    return await holdClaim({ what: `turn ${turn.id}`, claimMs: leaseMs, renew, log }, (lost) =>
      work(AbortSignal.any([stopped.signal, lost])),
    )
  } finally {
    if (runningModelCalls.get(turn.id) === stopped) runningModelCalls.delete(turn.id)
  }
}
