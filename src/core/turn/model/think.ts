import type { TurnRow } from '../../../db/schema.ts'
import { releaseTurn } from '../../../db/turn/turns.ts'
import { endUsage } from '../../../db/turn/usage.ts'
import { type ModelAnswer, ModelError, type ModelRequest } from '../../../ports/model.ts'
import { summariseTurns } from '../context/summarise-turns.ts'
import { type Prepared, prepareStep } from '../prepare-step.ts'
import { putUploads } from '../put-uploads.ts'
import type { Stepped } from '../stepped.ts'
import type { TurnKernel } from '../turn-kernel.ts'
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
export async function think(kernel: TurnKernel, turn: TurnRow): Promise<Stepped> {
  const putting = await putUploads(kernel, turn)
  if (putting !== undefined) return putting
  if (!(await summariseOutputs(kernel, turn))) return { kind: 'over' }
  const chosen = await chooseTurnTools(kernel, turn)
  const prepared = chosen && (await prepareStep(kernel, chosen))
  if (prepared === undefined) return { kind: 'over' }
  if (prepared.kind === 'summarise') return summariseTurns(kernel, prepared)
  const startedAt = performance.now()
  const asked = await ask(kernel, prepared)
  const ms = performance.now() - startedAt
  if (asked.kind === 'answered') return storeAnswer(kernel, prepared, asked.answer, ms)
  if (asked.error.kind === 'aborted') return abandonStep(kernel, prepared, ms)
  return settleFailure(kernel, prepared, asked.error, ms)
}

type Asked =
  | { readonly kind: 'answered'; readonly answer: ModelAnswer }
  | { readonly kind: 'failed'; readonly error: ModelError }

async function ask(kernel: TurnKernel, prepared: Prepared): Promise<Asked> {
  const { turn, conversation, request, model } = prepared
  const publish = (event: unknown): void => {
    void kernel.signals.live(conversation.id, event)
  }
  publish({ kind: 'thinking', turnId: turn.id, epoch: turn.epoch })
  const stream = createTextStream(turn, publish)
  const deadline = AbortSignal.timeout(kernel.settings.modelTimeoutMs)
  try {
    const answer = await holdLease(kernel, turn, (held) => {
      const signal = AbortSignal.any([held, deadline])
      return model.answer({ ...request, signal, onText: stream.push } satisfies ModelRequest)
    })
    return { kind: 'answered', answer }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const late = error.kind === 'aborted' && deadline.aborted
    return { kind: 'failed', error: late ? tooLate(error) : error }
  } finally {
    stream.end()
  }
}

function tooLate(cause: ModelError): ModelError {
  return new ModelError('unreachable', 'the model did not answer in time', { cause })
}

/** One that was stopped or taken over has a higher epoch; one that is still ours goes to whoever comes next. */
async function abandonStep(kernel: TurnKernel, prepared: Prepared, ms: number): Promise<Stepped> {
  await endUsage(kernel.db, prepared.usageId, 'superseded')
  kernel.observer.told(toModelEvent(prepared, { outcome: 'superseded', ms }))
  await releaseTurn(kernel.db, prepared.turn.id, prepared.turn.epoch)
  return { kind: 'over' }
}
