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
  name: text().optional().describe('The provider’s name of the model; unset: one that suits.'),
  max_output_tokens: integer(1)
    .default(8_192)
    .describe('Tokens of the longest answer; no more than a fifth of a known window.'),
  native_tools: z
    .boolean()
    .optional()
    .describe(
      'Whether the model has tool calls of its own; unset: an Ollama is asked, elsewhere it has.',
    ),
  temperature: z.number().min(0).max(2).optional().describe('Unset: the provider’s.'),
  context_window: integer(1_000)
    .optional()
    .describe(
      'Tokens the model takes in, which an Ollama is told; unset: known from the provider, or asked of the server.',
    ),
}

export const modelSection = z
  .strictObject({
    provider: z
      .enum(providers)
      .optional()
      .describe('Unset: the first key found decides, without any it is `offline`.'),
    ...modelKeys,
    fallback: text()
      .optional()
      .describe('A name from `[models.<name>]` that takes over when this one fails.'),
    embedding_name: text()
      .optional()
      .describe('The provider’s model for embeddings; unset: none are used.'),
    timeout: duration(1, 3_600).prefault('10m').describe('Time for one answer.'),
    retry_budget: duration(0, 3_600)
      .prefault('1m')
      .describe('How long a failed call is tried again before the person is told.'),
  })
  .prefault({})
  .describe('The language model.')

export const modelsSection = z
  .record(
    text(),
    z.strictObject({ provider: z.enum(providers).describe('Who serves it.'), ...modelKeys }),
  )
  .default({})
  .describe('Further models, by a name of your own.')

const usd = () => z.number().min(0).max(1_000_000)

export const pricesSection = z
  .record(
    text(),
    z.strictObject({
      input: usd().describe('Of tokens read.'),
      output: usd().describe('Of tokens written.'),
      cache_read: usd().optional().describe('Of tokens read from the cache; unset: as `input`.'),
      cache_write: usd().optional().describe('Of tokens put in the cache; unset: as `input`.'),
    }),
  )
  .default({})
  .describe('US dollars a million tokens, by the model’s name.')

const limits = {
  tool_calls_per_day: integer(0).optional().describe('Unset: no limit.'),
  tokens_per_day: integer(0).optional().describe('Read and written; unset: no limit.'),
  cost_per_day: usd().optional().describe('US dollars by `[prices]`; unset: no limit.'),
}

export const budgetsSection = z
  .strictObject({
    warn_at: fraction().default(0.8).describe('The share of a budget at which people are warned.'),
    exempt: z.array(text()).default([]).describe('Callers without budget, such as `telegram:42`.'),
    caller: z.strictObject(limits).prefault({}).describe('What one person may use.'),
    session: z.strictObject(limits).prefault({}).describe('What one session may use.'),
  })
  .prefault({})
  .describe('Daily budgets.')

export const agentSection = z
  .strictObject({
    max_tool_iterations: integer(1, 10_000)
      .default(10)
      .describe('Steps of a turn before the model is asked to sum up.'),
    context_budget_tokens: integer(1)
      .optional()
      .describe('Tokens of which a prompt may fill 80 %; unset: the model’s window.'),
    concurrency: integer(1, 10_000).default(256).describe('Turns that one process steps at once.'),
  })
  .prefault({})
  .describe('Turns.')
