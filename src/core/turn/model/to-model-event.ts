import type { Usage } from '../../../domain/message.ts'
import type { EventOf } from '../../../ports/observer.ts'
import type { Prepared } from '../prepare-step.ts'

type Answered = EventOf<'model_answered'>

/** How a model call went; one that failed told nothing of tokens. */
export function toModelEvent(
  { turn, model }: Pick<Prepared, 'turn' | 'model'>,
  ended: {
    readonly outcome: Answered['outcome']
    readonly ms: number
    readonly usage?: Usage
    readonly cost?: number | undefined
  },
): Answered {
  const { outcome, ms, usage = noUsage, cost } = ended
  return {
    kind: 'model_answered',
    turnId: turn.id,
    epoch: turn.epoch,
    step: turn.step,
    provider: model.provider,
    model: model.name,
    outcome,
    ms,
    ...usage,
    ...(cost === undefined ? {} : { costUsd: cost }),
  }
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
