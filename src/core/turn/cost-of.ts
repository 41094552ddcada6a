import type { Usage } from '../../domain/message.ts'
import type { TurnKernel } from './turn-kernel.ts'

/** US dollars of one model call by the configured prices; undefined where the model has none. */
export function costOf(kernel: TurnKernel, usage: Usage): number | undefined {
  const price = kernel.settings.prices[kernel.model.name]
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
