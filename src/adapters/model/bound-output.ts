import type { ModelSettings } from './model-settings.ts'

/** Share of the window for the answer; prompts may use the rest (LOOP-12). */
const outputShare = 0.2

/** MODEL-07: limits the output tokens so that a full prompt and its answer fit the window. */
export function limitOutputTokens<T extends ModelSettings>(settings: T): T {
  const { contextTokens, maxOutputTokens } = settings
  if (contextTokens === undefined) return settings
  const most = Math.max(1, Math.floor(contextTokens * outputShare))
  return { ...settings, maxOutputTokens: Math.min(maxOutputTokens, most) }
}
