import type { TurnRow } from '../../../db/schema.ts'
import { releaseTurn } from '../../../db/turn/turns.ts'
import { endUsage } from '../../../db/turn/usage.ts'
import type { LiveEvent } from '../../../ports/chat.ts'
import { type ModelAnswer, ModelError, type ModelRequest } from '../../../ports/model.ts'
import { summariseTurns } from '../context/summarise-turns.ts'
import { type Prepared, prepareStep } from '../prepare-step.ts'
import { putUploads } from '../put-uploads.ts'
import { holdLease, type Stepped, type TurnContext, toModelEvent } from '../turn-context.ts'
import { chooseTurnTools } from './choose-turn-tools.ts'
import { settleFailure } from './settle-failure.ts'
import { storeAnswer } from './store-answer.ts'
import { summariseOutputs } from './summarise-outputs.ts'

const intervalMs = 250

const maxPartLength = 1500

/**
 * Thinking step: prompt, one model call under the lease (without open transaction), and storing its answer. If the prompt does
 * not fit, summarises instead, and the step follows later (LOOP-12).
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

type ModelOutcome =
  | { readonly kind: 'answered'; readonly answer: ModelAnswer }
  | { readonly kind: 'failed'; readonly error: ModelError }

async function ask(ctx: TurnContext, prepared: Prepared): Promise<ModelOutcome> {
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
    // The message that follows has all of it.
    if (answer.calls.length === 0) stream.drop()
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

/** Abandons the call: a stopped or lost turn has a higher epoch, one that is still ours is released. */
async function abandonStep(ctx: TurnContext, prepared: Prepared, ms: number): Promise<Stepped> {
  await endUsage(ctx.db, prepared.usageId, 'superseded')
  ctx.observer.record(toModelEvent(prepared, { outcome: 'superseded', ms }))
  await releaseTurn(ctx.db, prepared.turn.id, prepared.turn.epoch)
  return { kind: 'over' }
}

/**
 * Groups a model's text into at most four events a second, each small enough for the bus (DECISIONS 25). `end` sends what is
 * left, up to one more event; `drop` discards it. Lost events do no harm: the final message is complete.
 */
export function createTextStream(
  turn: { readonly id: string; readonly epoch: number },
  publish: (event: LiveEvent) => void,
): {
  readonly push: (text: string) => void
  readonly drop: () => void
  readonly end: () => void
} {
  let waiting = ''
  let offset = 0
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    if (waiting === '') return
    const text = waiting.slice(0, maxPartLength)
    publish({ kind: 'text', turnId: turn.id, epoch: turn.epoch, offset, text })
    offset += text.length
    waiting = waiting.slice(text.length)
    if (waiting !== '') timer = setTimeout(flush, intervalMs)
  }
  return {
    push: (text) => {
      waiting += text
      timer ??= setTimeout(flush, intervalMs)
    },
    drop: () => {
      waiting = ''
    },
    end: () => {
      clearTimeout(timer)
      flush()
      clearTimeout(timer)
    },
  }
}
