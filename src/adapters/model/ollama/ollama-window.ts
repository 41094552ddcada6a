import type { ModelAbilities } from './ask-ollama.ts'

/**
 * Of a larger model that nobody configured: the server sets memory aside for all of it, several gigabytes for so many, and most
 * machines have no more.
 */
const mostUnasked = 32_768
/** Where the server says nothing of the model. Its own default is less than instructions and tools alone. */
const unknown = 16_384

/**
 * MODEL-07: the window that Ollama is told (`num_ctx`), in tokens, and to which prompts are kept: `wanted` by the configuration as far
 * as the model reaches; else what the model's own file sets; else all of it, within what a usual machine has room for.
 */
export function ollamaWindow(wanted: number | undefined, abilities?: ModelAbilities): number {
  const { contextTokens: most, ownContextTokens: own } =
    abilities?.kind === 'known' ? abilities : noWindows
  if (wanted !== undefined) return Math.min(wanted, most ?? wanted)
  return own ?? (most === undefined ? unknown : Math.min(most, mostUnasked))
}

const noWindows: { readonly contextTokens?: number; readonly ownContextTokens?: number } = {}
