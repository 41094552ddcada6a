import type { TurnRow } from '../../../db/schema.ts'
import { releaseTurn } from '../../../db/turn/turns.ts'
import { endUsage } from '../../../db/turn/usage.ts'
import { type ModelAnswer, ModelError, type ModelRequest } from '../../../ports/model.ts'
import { summariseTurns } from '../context/summarise-turns.ts'
import { type Prepared, prepareStep } from '../prepare-step.ts'
import { putUploads } from '../put-uploads.ts'
import type { Stepped } from '../stepped.ts'
import type { TurnContext } from '../turn-context.ts'
import { chooseTurnTools } from './choose-turn-tools.ts'
import { holdLease } from './hold-lease.ts'
import { settleFailure } from './settle-failure.ts'
import { storeAnswer } from './store-answer.ts'
import { summariseOutputs } from './summarise-outputs.ts'
import { createTextStream } from './text-stream.ts'
import { toModelEvent } from './to-model-event.ts'

/**
 * The thinking step: prompt, one model call under the lease (no transaction is open meanwhile), and its answer stored. Where there is
 * no room for the prompt, the call is one for a summary instead, and the step is still to come (LOOP-12).
 */
export async function think(
  ctx: TurnContext,
  turn: TurnRow,
  mayHaveUploads: boolean,
): Promise<Stepped> {
  const putting = mayHaveUploads ? await putUploads(ctx, turn) : undefined
  if (putting !== undefined) return putting
  if (!(await summariseOutputs(ctx, turn))) return { kind: 'over' }
  const chosen = await chooseTurnTools(ctx, turn)
  const prepared = chosen && (await prepareStep(ctx, chosen))
  if (prepared === undefined) return { kind: 'over' }
  if (prepared.kind === 'summarise') return summariseTurns(ctx, prepared)
  const startedAt = performance.now()
  const asked = await ask(ctx, prepared)
  const ms = performance.now() - startedAt
  if (asked.kind === 'answered') return storeAnswer(ctx, prepared, asked.answer, ms)
  if (asked.error.kind === 'aborted') return abandonStep(ctx, prepared, ms)
  return settleFailure(ctx, prepared, { error: asked.error, ms })
}

type Asked =
  | { readonly kind: 'answered'; readonly answer: ModelAnswer }
  | { readonly kind: 'failed'; readonly error: ModelError }

async function ask(ctx: TurnContext, prepared: Prepared): Promise<Asked> {
  const { turn, conversation, request, model } = prepared
  const publish = (event: unknown): void => {
    void ctx.signals.live(conversation.id, event)
  }
  const thinking = { kind: 'thinking', turnId: turn.id, epoch: turn.epoch }
  const telling = setTimeout(() => publish(thinking), tellThinkingMs)
  const stream = createTextStream(turn, publish)
  const deadline = AbortSignal.timeout(ctx.settings.modelTimeoutMs)
  try {
    const answer = await holdLease(ctx, turn, (held) => {
      const signal = AbortSignal.any([held, deadline])
      return model.answer({ ...request, signal, onText: stream.push } satisfies ModelRequest)
    })
    return { kind: 'answered', answer }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const late = error.kind === 'aborted' && deadline.aborted
    return { kind: 'failed', error: late ? tooLate(error) : error }
  } finally {
    clearTimeout(telling)
    stream.end()
  }
}

/** An answer that comes sooner needs no "typing…". */
const tellThinkingMs = 100

function tooLate(cause: ModelError): ModelError {
  return new ModelError('unreachable', 'the model did not answer in time', { cause })
}

/** One that was stopped or taken over has a higher epoch; one that is still ours goes to whoever comes next. */
async function abandonStep(ctx: TurnContext, prepared: Prepared, ms: number): Promise<Stepped> {
  await endUsage(ctx.db, prepared.usageId, 'superseded')
  ctx.observer.record(toModelEvent(prepared, { outcome: 'superseded', ms }))
  await releaseTurn(ctx.db, prepared.turn.id, prepared.turn.epoch)
  return { kind: 'over' }
}
