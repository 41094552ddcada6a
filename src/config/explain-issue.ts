import type { z } from 'zod'
import { nearest } from './nearest.ts'
import { type OutsideName, outsideNames } from './outside-names.ts'
import { settingsSchema } from './schema/schema.ts'
import { expectedText, namesIn, type Path, schemaAt } from './shape.ts'

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

/** What one issue of the schema says to a person: where, and what was expected. */
export interface Fault {
  readonly path: Path
  readonly message: string
}

/** `tree` is what was checked. Text is not repeated (it may be a secret in the wrong place), save for patterns. */
export function explainIssue(issue: z.core.$ZodIssue, tree: unknown): readonly Fault[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(path, key) }))
  }
  return [{ path, message: explain(issue, path, valueAt(tree, path)) }]
}

/** A path as people write it: `tools.permissions.bash[0].action`. */
export function pathText(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      const name = /^[\w*-]{1,80}$/u.test(step) ? step : JSON.stringify(step.slice(0, 80))
      return index === 0 ? name : `.${name}`
    })
    .join('')
}

function unknownKey(path: Path, key: string): string {
  const secret = secretHint(path, key)
  if (secret) return secret
  const meant = nearest(key, namesIn(schemaAt(settingsSchema, path) ?? settingsSchema))
  return `there is no such key${meant ? `; did you mean "${meant}"?` : ''}`
}

function explain(issue: z.core.$ZodIssue, path: Path, value: unknown): string {
  const schema = schemaAt(settingsSchema, path) ?? settingsSchema
  // zod's own words for a failed check of ours that says nothing itself.
  if (issue.code === 'custom' && issue.message !== 'Invalid input') return issue.message
  if (issue.code === 'invalid_key') return 'is not a name that this table takes'
  if (issue.code === 'too_big' && Array.isArray(value)) {
    return `expected at most ${issue.maximum} entries, found ${value.length}`
  }
  const expected = expectedText(schema)
  if (value === undefined) return `is missing: expected ${expected}`
  const isWord = issue.code === 'invalid_value' && typeof value === 'string'
  const meant = isWord && nearest(value, issue.values.map(String))
  return `expected ${expected}, found ${describe(value)}${meant ? `; did you mean "${meant}"?` : ''}`
}

function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? Reflect.get(at, step)
        : undefined,
    tree,
  )
}

function describe(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === '') return 'empty text'
  if (typeof value === 'string') return 'other text'
  if (value instanceof Date) return 'a date'
  return Array.isArray(value) ? 'a list' : 'a table'
}

/** CONF-02: what to do instead of writing a secret into the file; nothing for keys that are none. */
function secretHint(path: Path, key: string): string | undefined {
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
