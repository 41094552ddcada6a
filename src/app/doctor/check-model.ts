import type { Config } from '../../config/config.ts'
import type { Secret } from '../../config/secrets.ts'
import { assertNever } from '../../util/assert-never.ts'
import { reviewingModel, reviewProblems } from '../reviewing-model.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Which models answer and review, and whether their keys are there. Asks nothing of the providers. */
export function checkModels(config: Config): readonly Finding[] {
  const { model, models } = config
  const second = model.fallback === undefined ? undefined : models[model.fallback]
  return [
    checkModel('model', model, config),
    ...(second === undefined ? [] : [checkModel('fallback model', second, config)]),
    ...checkReviewer(config),
  ]
}

/** POL-05 */
function checkReviewer(config: Config): readonly Finding[] {
  const { enabled, failOpen } = config.tools.adversarialPolicy
  if (!enabled) return []
  const label = 'reviewing model'
  const problems = reviewProblems(config)
  const model = reviewingModel(config)
  if (model === undefined || problems.length > 0) {
    const mend = 'name a model of a provider in [models.<name>], or switch the reviews off'
    return problems.map((problem) => fail(label, problem, mend))
  }
  const found = checkModel(label, model, config)
  return failOpen && found.level === 'ok'
    ? [warn(label, `${found.finding}; ${opens}`, closes)]
    : [found]
}

const opens = 'where it fails, calls go on without a review ([tools.adversarial_policy] fail_open)'
const closes = 'leave fail_open out to have such calls refused'

type Chosen = Pick<Config['model'], 'provider' | 'name'>

function checkModel(
  label: string,
  { provider, name }: Chosen,
  { secrets, endpoints }: Config,
): Finding {
  const words = `${provider}, ${name}`
  switch (provider) {
    case 'anthropic':
      return withKey(label, words, 'ANTHROPIC_API_KEY', secrets.anthropicApiKey)
    case 'openai':
      if (endpoints.openaiBaseUrl !== undefined && secrets.openaiApiKey === undefined) {
        return ok(label, `${words}, at OPENAI_BASE_URL without a key`)
      }
      return withKey(label, words, 'OPENAI_API_KEY', secrets.openaiApiKey)
    case 'ollama':
      return ok(label, `${words}, which needs no key`)
    case 'offline':
      return ok(
        label,
        'offline: it follows a few fixed phrases; set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_BASE_URL for a real one',
      )
    default:
      return assertNever(provider)
  }
}

function withKey(label: string, words: string, variable: string, key: Secret | undefined): Finding {
  if (key !== undefined) return ok(label, `${words}, key present`)
  const mend = `set ${variable} or ${variable}_FILE`
  return fail(label, `${words}, but there is no key for it`, mend)
}
