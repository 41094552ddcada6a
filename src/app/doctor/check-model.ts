import type { Config } from '../../config/config.ts'
import type { Secret } from '../../config/secrets.ts'
import { assertNever } from '../../util/assert-never.ts'
import { type Finding, fail, ok } from './finding.ts'

/** Which model answers, and whether its key is there. Asks nothing of the provider. */
export function checkModel({ model, secrets, endpoints }: Config): Finding {
  const { provider, name } = model
  const words = `${provider}, ${name}`
  switch (provider) {
    case 'anthropic':
      return withKey(words, 'ANTHROPIC_API_KEY', secrets.anthropicApiKey)
    case 'openai':
      if (endpoints.openaiBaseUrl !== undefined && secrets.openaiApiKey === undefined) {
        return ok('model', `${words}, at OPENAI_BASE_URL without a key`)
      }
      return withKey(words, 'OPENAI_API_KEY', secrets.openaiApiKey)
    case 'ollama':
      return ok('model', `${words}, which needs no key`)
    case 'offline':
      return ok(
        'model',
        'offline: it follows a few fixed phrases; set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_BASE_URL for a real one',
      )
    default:
      return assertNever(provider)
  }
}

function withKey(words: string, variable: string, key: Secret | undefined): Finding {
  if (key !== undefined) return ok('model', `${words}, key present`)
  const mend = `set ${variable} or ${variable}_FILE`
  return fail('model', `${words}, but there is no key for it`, mend)
}
