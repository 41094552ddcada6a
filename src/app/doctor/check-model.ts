import type { Config } from '../../config/config.ts'
import type { Secret } from '../../config/secrets.ts'
import { assertNever } from '../../util/assert-never.ts'
import { type Finding, fail, ok } from './finding.ts'

/** Which models answer, and whether their keys are there. Asks nothing of the providers. */
export function checkModels(config: Config): readonly Finding[] {
  const { model, models } = config
  const second = model.fallback === undefined ? undefined : models[model.fallback]
  return [
    checkModel('model', model, config),
    ...(second === undefined ? [] : [checkModel('fallback model', second, config)]),
  ]
}

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
