import type { Model } from '../../ports/model.ts'

/** Settings of a model. Secrets in it are used in request headers only. */
export interface ModelSettings {
  readonly provider: Model['provider']
  /** The model's name at the provider; the offline model has none. */
  readonly name: string
  readonly apiKey?: string | undefined
  /** CONF-03: used as given, with or without its version segment. */
  readonly baseUrl?: string | undefined
  /** Always sent, because providers' defaults differ by a factor of thirty. */
  readonly maxOutputTokens: number
  /** false: tools are described in the prompt instead (MODEL-02). Default true; an Ollama server is asked. */
  readonly nativeTools?: boolean | undefined
  /** 0 to 2; absent: the provider's default. */
  readonly temperature?: number | undefined
  /** The context window in tokens. Ollama must be told, or it truncates prompts at its own default. */
  readonly contextTokens?: number | undefined
}

/** Share of the window for the answer; prompts may use the rest (LOOP-12). */
const outputShare = 0.2

/** MODEL-07: limits the output tokens so that a full prompt and its answer fit the window. */
export function limitOutputTokens<T extends ModelSettings>(settings: T): T {
  const { contextTokens, maxOutputTokens } = settings
  if (contextTokens === undefined) return settings
  const most = Math.max(1, Math.floor(contextTokens * outputShare))
  return { ...settings, maxOutputTokens: Math.min(maxOutputTokens, most) }
}
