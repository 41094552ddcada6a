import { distance } from 'fastest-levenshtein'
import type { z } from 'zod'
import { type ExternalVariable, externalVariables } from './outside-names.ts'
import { settingsSchema } from './schema/schema.ts'
import { expectedText, namesIn, type Path, schemaAt } from './shape.ts'

const hints: Readonly<Record<string, readonly ExternalVariable[]>> = {
  'telegram.token': [externalVariables.telegramBotToken],
  'telegram.bot_token': [externalVariables.telegramBotToken],
  'telegram.api_root': [externalVariables.telegramApiRoot],
  'slack.token': [externalVariables.slackBotToken],
  'slack.bot_token': [externalVariables.slackBotToken],
  'slack.app_token': [externalVariables.slackAppToken],
  'slack.signing_secret': [externalVariables.slackSigningSecret],
  'slack.api_url': [externalVariables.slackApiUrl],
  'model.api_key': [externalVariables.anthropicApiKey, externalVariables.openaiApiKey],
  'model.key': [externalVariables.anthropicApiKey, externalVariables.openaiApiKey],
  'model.base_url': [
    externalVariables.anthropicBaseUrl,
    externalVariables.openaiBaseUrl,
    externalVariables.ollamaBaseUrl,
  ],
  'logging.otlp_headers': [externalVariables.otlpHeaders],
  'logging.headers': [externalVariables.otlpHeaders],
  'database.url': [externalVariables.databaseUrl],
  'database.password': [externalVariables.databaseUrl],
  'queue.url': [externalVariables.redisUrl],
  'queue.redis_url': [externalVariables.redisUrl],
  'queue.password': [externalVariables.redisUrl],
}

/** One problem found by the schema, for people: the path and the expected value. */
export interface Fault {
  readonly path: Path
  readonly message: string
}

/** `tree` is the checked value. Its text is not repeated, as it may be a misplaced secret; patterns are. */
export function explainIssue(issue: z.core.$ZodIssue, tree: unknown): readonly Fault[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(path, key) }))
  }
  return [{ path, message: explain(issue, path, valueAt(tree, path)) }]
}

/** Formats a path as people write it: `tools.permissions.bash[0].action`. */
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
  // zod's default message for a failed custom check without a message of its own.
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

/** CONF-02: advice for a secret written into the file; undefined for other keys. */
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

function byName(key: string): readonly ExternalVariable[] | undefined {
  const wanted = key.toUpperCase()
  const found = Object.values(externalVariables).find(({ name }) => name === wanted)
  return found && [found]
}

/** The most similar candidate, if similar enough to be what was meant. Text over 100 characters matches nothing. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  if (text.length > 100) return undefined
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(text.length / 3)) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= bestDistance) continue
    const edits = distance(text.toLowerCase(), candidate.toLowerCase())
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits]
  }
  return best
}
