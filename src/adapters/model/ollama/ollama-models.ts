import type { ModelAbilities } from './ask-ollama.ts'

/**
 * Cap for a larger model without a configured window: the server reserves memory for all of it, several gigabytes at this size,
 * and most machines have no more.
 */
const maxDefaultWindow = 32_768
/** Used if the server reports nothing. Its own default is too small for the instructions and tools alone. */
const unknown = 16_384

/**
 * MODEL-07: context window in tokens, sent to Ollama (`num_ctx`) and used to limit prompts: `wanted` by the configuration
 * up to the model's maximum; else the value in the model's own file; else the maximum, capped to what a usual machine can hold.
 */
export function ollamaWindow(wanted: number | undefined, abilities?: ModelAbilities): number {
  const { contextTokens: most, ownContextTokens: own } =
    abilities?.kind === 'known' ? abilities : noWindows
  if (wanted !== undefined) return Math.min(wanted, most ?? wanted)
  return own ?? (most === undefined ? unknown : Math.min(most, maxDefaultWindow))
}

const noWindows: { readonly contextTokens?: number; readonly ownContextTokens?: number } = {}
