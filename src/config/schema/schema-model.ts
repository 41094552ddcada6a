import { z } from 'zod'
import { duration, fraction, integer, text } from '../key-types.ts'

/** Static facts about a model provider. */
interface ProviderFacts {
  /** The default model. */
  readonly model: string
  readonly key?: 'anthropicApiKey' | 'openaiApiKey'
  readonly url?: 'anthropicBaseUrl' | 'openaiBaseUrl' | 'ollamaBaseUrl'
  /** The setting that selects this provider if none is named; the first one set wins. */
  readonly foundBy?: 'anthropicApiKey' | 'openaiApiKey' | 'ollamaBaseUrl'
  /** MODEL-07: the server reserves memory for the requested window, so no more than the budget is requested. */
  readonly takesWindow?: true
}

/** The model providers; `offline` needs no key and no network. */
export const providerFacts = {
  anthropic: {
    model: 'claude-sonnet-4-5',
    key: 'anthropicApiKey',
    url: 'anthropicBaseUrl',
    foundBy: 'anthropicApiKey',
  },
  openai: { model: 'gpt-5', key: 'openaiApiKey', url: 'openaiBaseUrl', foundBy: 'openaiApiKey' },
  ollama: {
    model: 'qwen3:8b',
    url: 'ollamaBaseUrl',
    foundBy: 'ollamaBaseUrl',
    takesWindow: true,
  },
  offline: { model: 'offline' },
} as const satisfies Readonly<Record<string, ProviderFacts>>

export type ProviderName = keyof typeof providerFacts

const providers = Object.keys(providerFacts) as [ProviderName, ...ProviderName[]]

/** The facts of a provider by name; empty for one that is not built in. */
export function factsOfProvider(name: string): Partial<ProviderFacts> {
  const facts: Readonly<Record<string, ProviderFacts>> = providerFacts
  return Object.hasOwn(facts, name) ? (facts[name] ?? {}) : {}
}

const modelKeys = {
  name: text().optional().describe('Model name at the provider; unset: the provider’s default.'),
  max_output_tokens: integer(1)
    .default(8_192)
    .describe('Maximum tokens of an answer; at most a fifth of a known context window.'),
  native_tools: z
    .boolean()
    .optional()
    .describe(
      'Whether the model supports native tool calls; unset: Ollama is asked, other providers do.',
    ),
  temperature: z.number().min(0).max(2).optional().describe('Unset: the provider’s address.'),
  context_window: integer(1_000)
    .optional()
    .describe(
      'Context window in tokens, also sent to Ollama as `num_ctx`; unset: known for the model, or asked from the server.',
    ),
}

export const modelSection = z
  .strictObject({
    provider: z
      .enum(providers)
      .optional()
      .describe('Unset: chosen by the first API key found; `offline` without any.'),
    ...modelKeys,
    fallback: text()
      .optional()
      .describe('Name from `[models.<name>]` of the model that takes over when this one fails.'),
    embedding_name: text()
      .optional()
      .describe('Embedding model at the provider; unset: no embeddings.'),
    timeout: duration(1, 3_600).prefault('10m').describe('Time limit for one answer.'),
    retry_budget: duration(0, 3_600)
      .prefault('1m')
      .describe('Time during which a failed call is retried before the turn fails.'),
  })
  .prefault({})
  .describe('The language model.')

export const modelsSection = z
  .record(
    text(),
    z.strictObject({
      provider: z.enum(providers).describe('Provider of the model.'),
      ...modelKeys,
    }),
  )
  .default({})
  .describe('Further models, by names of your choice.')

const usd = () => z.number().min(0).max(1_000_000)

export const pricesSection = z
  .record(
    text(),
    z.strictObject({
      input: usd().describe('Input tokens.'),
      output: usd().describe('Output tokens.'),
      cache_read: usd().optional().describe('Tokens read from the cache; unset: as `input`.'),
      cache_write: usd().optional().describe('Tokens written to the cache; unset: as `input`.'),
    }),
  )
  .default({})
  .describe('Prices in US dollars per million tokens, by model name.')

const limits = {
  tool_calls_per_day: integer(0).optional().describe('Unset: no limit.'),
  tokens_per_day: integer(0).optional().describe('Input and output tokens; unset: no limit.'),
  cost_per_day: usd().optional().describe('US dollars by `[prices]`; unset: no limit.'),
}

export const budgetsSection = z
  .strictObject({
    warn_at: fraction().default(0.8).describe('Share of a budget at which people are warned.'),
    exempt: z.array(text()).default([]).describe('Callers without limits, such as `telegram:42`.'),
    caller: z.strictObject(limits).prefault({}).describe('Limits of one person.'),
    session: z.strictObject(limits).prefault({}).describe('Limits of one session.'),
  })
  .prefault({})
  .describe('Daily budgets.')

export const agentSection = z
  .strictObject({
    max_tool_iterations: integer(1, 10_000)
      .default(10)
      .describe('Maximum steps of a turn; then the model must answer.'),
    context_budget_tokens: integer(1)
      .optional()
      .describe('Token budget of which a prompt may use 80 %; unset: the model’s context window.'),
    concurrency: integer(1, 10_000)
      .default(256)
      .describe('Turns that one process runs concurrently.'),
  })
  .prefault({})
  .describe('Turns.')
