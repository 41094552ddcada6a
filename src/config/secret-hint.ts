import { type OutsideName, outsideNames } from './outside-names.ts'
import type { Path } from './shape.ts'

const hints: Readonly<Record<string, readonly OutsideName[]>> = {
  'telegram.token': [outsideNames.telegramBotToken],
  'telegram.bot_token': [outsideNames.telegramBotToken],
  'telegram.api_root': [outsideNames.telegramApiRoot],
  'slack.token': [outsideNames.slackBotToken],
  'slack.bot_token': [outsideNames.slackBotToken],
  'slack.app_token': [outsideNames.slackAppToken],
  'slack.signing_secret': [outsideNames.slackSigningSecret],
  'slack.api_url': [outsideNames.slackApiUrl],
  'model.api_key': [outsideNames.anthropicApiKey, outsideNames.openaiApiKey],
  'model.key': [outsideNames.anthropicApiKey, outsideNames.openaiApiKey],
  'model.base_url': [
    outsideNames.anthropicBaseUrl,
    outsideNames.openaiBaseUrl,
    outsideNames.ollamaBaseUrl,
  ],
  'logging.otlp_headers': [outsideNames.otlpHeaders],
  'logging.headers': [outsideNames.otlpHeaders],
  'database.url': [outsideNames.databaseUrl],
  'database.password': [outsideNames.databaseUrl],
  'queue.url': [outsideNames.redisUrl],
  'queue.redis_url': [outsideNames.redisUrl],
  'queue.password': [outsideNames.redisUrl],
}

/** CONF-02: what to do instead of writing a secret into the file; nothing for keys that are none. */
export function secretHint(path: Path, key: string): string | undefined {
  const [section] = path
  const names = hints[`${section === 'models' ? 'model' : section}.${key}`] ?? byName(key)
  if (names) {
    const variables = names.map((name) => name.name).join(' or ')
    const [first] = names
    const file = first?.kind.startsWith('secret')
      ? `, or ${first.name}_FILE to a file that holds it`
      : ''
    return `belongs in the environment: set ${variables}${file}`
  }
  if (!/token|secret|passw|api_?key|private_?key|credential/iu.test(key)) return undefined
  return section === 'mcp'
    ? 'belongs in the environment: name its variable in `environment` or `token_variable`'
    : 'looks like a secret: those come only from the environment or from files that `*_FILE` variables name'
}

function byName(key: string): readonly OutsideName[] | undefined {
  const wanted = key.toUpperCase()
  const found = Object.values(outsideNames).find(({ name }) => name === wanted)
  return found && [found]
}
