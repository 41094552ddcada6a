import { lookUpModel } from '../../adapters/model/ask-for-model.ts'
import { fetchModelAbilities } from '../../adapters/model/ollama/ask-ollama.ts'
import { ollamaWindow } from '../../adapters/model/ollama/ollama-models.ts'
import { firstRequestProblem } from '../../app/first-request-problem.ts'
import { reviewingModel, reviewProblems } from '../../app/settings/reviewing-model.ts'
import type { Config } from '../../config/config.ts'
import type { Secret } from '../../config/secrets.ts'
import { assertNever } from '../../util/guards.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Checks the models for answers and reviews, and their keys, by asking each provider for the model. */
export async function checkModels(config: Config): Promise<readonly Finding[]> {
  const { model, models } = config
  const second = model.fallback === undefined ? undefined : models[model.fallback]
  return [
    await checkModel('model', model, config),
    ...(second === undefined ? [] : [await checkModel('fallback model', second, config)]),
    ...(await checkReviewer(config)),
    ...(await checkChoices(config)),
    ...checkEmbeddings(model),
  ]
}

/** POL-05: checks the reviewing model. */
async function checkReviewer(config: Config): Promise<readonly Finding[]> {
  const { enabled, failOpen } = config.tools.adversarialPolicy
  if (!enabled) return []
  const label = 'reviewing model'
  const problems = reviewProblems(config)
  const model = reviewingModel(config)
  if (model === undefined || problems.length > 0) {
    const mend = 'name a model of a provider in [models.<name>], or switch the reviews off'
    return problems.map((problem) => fail(label, problem, mend))
  }
  const found = await checkModel(label, { ...model, nativeTools: true }, config)
  if (!failOpen || found.level === 'fail') return [found]
  const mend = found.mend === undefined ? closes : `${found.mend}; ${closes}`
  return [warn(label, `${found.finding}; ${opens}`, mend)]
}

const opens = 'where it fails, calls go on without a review ([tools.adversarial_policy] fail_open)'
const closes = 'leave fail_open out to have such calls refused'

/** CHAT-03: warns about models that `/model` cannot offer. */
async function checkChoices(config: Config): Promise<readonly Finding[]> {
  const { fallback } = config.model
  const reviewing = reviewingModel(config)
  const others = Object.entries(config.models).filter(
    ([name, model]) => name !== fallback && model !== reviewing,
  )
  const found = await Promise.all(
    others.map(([name, model]) => checkModel(`model ${name}`, model, config)),
  )
  return found.map((each) =>
    each.level === 'fail'
      ? { ...each, level: 'warn', finding: `${each.finding}; /model does not offer it` }
      : each,
  )
}

type Chosen = Pick<Config['model'], 'provider' | 'name' | 'nativeTools' | 'contextWindow'>

async function checkModel(label: string, chosen: Chosen, config: Config): Promise<Finding> {
  const { provider } = chosen
  const { secrets, endpoints } = config
  switch (provider) {
    case 'anthropic':
    case 'openai':
      return checkByName(label, config, chosen, {
        provider,
        key: provider === 'anthropic' ? secrets.anthropicApiKey : secrets.openaiApiKey,
        baseUrl: provider === 'anthropic' ? endpoints.anthropicBaseUrl : endpoints.openaiBaseUrl,
      })
    case 'ollama':
      return checkOllama(label, chosen, config)
    case 'offline':
      return ok(
        label,
        'offline: it follows a few fixed phrases; set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_BASE_URL for a real one',
      )
    default:
      return ok(label, `${provider}, ${chosen.name}`)
  }
}

interface Provider {
  readonly provider: 'anthropic' | 'openai'
  readonly key: Secret | undefined
  readonly baseUrl: string | undefined
}

/** Checks that a key is set and that the provider has the model. */
async function checkByName(
  label: string,
  config: Config,
  chosen: Chosen,
  { provider, key, baseUrl }: Provider,
): Promise<Finding> {
  const { name } = chosen
  const variable = provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'
  const words = `${provider}, ${name}`
  if (key === undefined && baseUrl === undefined) {
    const mend = `set ${variable} or ${variable}_FILE`
    return fail(label, `${words}, but there is no key for it`, mend)
  }
  const having = `${words}, ${key === undefined ? 'without a key' : 'key present'}`
  const answer = await lookUpModel(name, { provider, apiKey: key?.reveal(), baseUrl })
  switch (answer.kind) {
    case 'there':
      return withWindow(label, `${having}, the provider has it`, { config, chosen, ...answer })
    case 'missing':
      return fail(label, `${having}, but the provider has no such model`, others(answer.names))
    case 'refused':
      return fail(label, `${having}, but ${answer.why}`, `check ${variable}`)
    case 'unknown': {
      const mend =
        'check the network and the base URL; a model server without a list may work all the same'
      return warn(label, `${having}; whether the provider has it is not known: ${answer.why}`, mend)
    }
    default:
      return assertNever(answer)
  }
}

function others(names: readonly string[]): string {
  return names.length === 0
    ? 'name another in [model] name'
    : `name one of these in [model] name: ${names.join(', ')}`
}

/** MODEL-02: checks an Ollama model and its abilities. */
async function checkOllama(label: string, chosen: Chosen, config: Config): Promise<Finding> {
  const { name, nativeTools, contextWindow } = chosen
  const { ollamaBaseUrl: baseUrl } = config.endpoints
  const words = `ollama, ${name}, which needs no key`
  const wanted = contextWindow ?? config.agent.contextBudgetTokens
  const known = { config, chosen, contextTokens: wanted }
  if (nativeTools !== undefined && wanted !== undefined) return withWindow(label, words, known)
  const abilities = await fetchModelAbilities(name, { baseUrl })
  switch (abilities.kind) {
    case 'known': {
      const calls = (nativeTools ?? abilities.nativeTools) ? 'calls tools natively' : inText
      const window = ollamaWindow(wanted, abilities)
      const more = abilities.contextTokens
      const all = more !== undefined && more > window ? ` of the ${more} that it could take in` : ''
      return withWindow(label, `${words}, ${calls}`, { ...known, contextTokens: window }, all)
    }
    case 'missing':
      return warn(label, `${words}, but ${abilities.why}`, `ollama pull ${name}`)
    case 'unknown': {
      const what = nativeTools === undefined ? 'whether it calls tools' : 'how much it takes in'
      const mend =
        'start it, or set OLLAMA_BASE_URL; [model] native_tools and context_window say it without asking'
      return warn(label, `${words}; ${what} is not known: ${abilities.why}`, mend)
    }
    default:
      return assertNever(abilities)
  }
}

/** MODEL-07: reports the context window, or why no request would fit. */
function withWindow(
  label: string,
  words: string,
  {
    config,
    chosen,
    contextTokens,
  }: {
    readonly config: Config
    readonly chosen: Chosen
    readonly contextTokens?: number | undefined
  },
  more = '',
): Finding {
  const window = chosen.contextWindow ?? contextTokens
  const { name, nativeTools = true } = chosen
  const problem = firstRequestProblem(config, { name, nativeTools, contextTokens: window })
  if (problem !== undefined) {
    const [what = '', mend = ''] = problem.split('. ')
    return fail(label, `${words}, but ${what}`, mend)
  }
  return ok(label, window === undefined ? words : `${words}, a window of ${window} tokens${more}`)
}

const inText = 'has no tool calls of its own: it calls tools by blocks in its text'

/** SCH-02: warns about an embedding model that cannot be used. */
function checkEmbeddings({ provider, embeddingName }: Config['model']): readonly Finding[] {
  if (embeddingName === undefined || provider === 'openai' || provider === 'ollama') return []
  const mend = 'take embedding_name out of [model]'
  return [warn('embeddings', `${provider} has none, so ${embeddingName} is not used`, mend)]
}
