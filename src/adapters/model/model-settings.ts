import type { Model } from '../../ports/model.ts'

/** What it takes to build a model. Secrets stay in here: they reach request headers and nothing else. */
export interface ModelSettings {
  readonly provider: Model['provider']
  /** The provider's name of the model; the offline model has none. */
  readonly name: string
  readonly apiKey?: string | undefined
  /** CONF-03: used as given, with or without its version segment. */
  readonly baseUrl?: string | undefined
  /** Always sent: providers' own defaults differ by a factor of thirty. */
  readonly maxOutputTokens: number
  /** false: tools are not offered natively (MODEL-02). Default true; of Ollama's models their server is asked. */
  readonly nativeTools?: boolean | undefined
  /** 0 to 2; the provider's own when missing. */
  readonly temperature?: number | undefined
  /** The window in tokens. Ollama must be told, or it cuts prompts at its own default. */
  readonly contextTokens?: number | undefined
}
