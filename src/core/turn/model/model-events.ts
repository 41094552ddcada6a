import type { Usage } from '../../../domain/message.ts'
import type { EventOf } from '../../../ports/observer.ts'
import type { Prepared } from '../prepare-step.ts'
import type { TurnContext } from '../turn-context.ts'

type Answered = EventOf<'model_answered'>

/** Builds the event of a model call; a failed one reports no tokens. */
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

/** Returns the cost of a model call in US dollars by the configured prices; undefined without a price. */
export function costOf(ctx: TurnContext, model: string, usage: Usage): number | undefined {
  const price = ctx.settings.prices[model]
  if (price === undefined) return undefined
  const { cacheReadTokens: read, cacheWriteTokens: write } = usage
  const fresh = Math.max(usage.inputTokens - read - write, 0)
  const millionths =
    fresh * price.input +
    read * (price.cacheRead ?? price.input) +
    write * (price.cacheWrite ?? price.input) +
    usage.outputTokens * price.output
  return millionths / 1_000_000
}
