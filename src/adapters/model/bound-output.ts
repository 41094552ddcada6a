import type { ModelSettings } from './model-settings.ts'

/** Of the window: prompts fill up to the rest of it (LOOP-12). */
const outputShare = 0.2

/** MODEL-07: the same settings, with answers no longer than the window has room for beside a prompt that fits. */
export function boundOutput<T extends ModelSettings>(settings: T): T {
  const { contextTokens, maxOutputTokens } = settings
  if (contextTokens === undefined) return settings
  const most = Math.max(1, Math.floor(contextTokens * outputShare))
  return { ...settings, maxOutputTokens: Math.min(maxOutputTokens, most) }
}
