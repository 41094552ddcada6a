import type { Usage } from '../../../domain/message.ts'
import type { TurnContext } from '../turn-context.ts'

/** US dollars of one call of the model by the configured prices; undefined where it has none. */
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
