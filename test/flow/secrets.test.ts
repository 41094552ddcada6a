import { expect, test } from 'vitest'
import { createLog } from '../../src/app/logs/create-log.ts'
import { createFlow, type Flow } from '../support/flow.ts'
import { call, createScriptedModel, type ScriptedModel, say } from '../support/scripted-model.ts'

// Put together here, so that no scanner takes this file for a leak.
const token = `ghp_${'aB3dE5gH7jK9mN1pQ'.repeat(3).slice(0, 36)}`
const password = 'k3j5h7g9f1d3'
/** Of letters that no id in hexadecimal digits has. */
const number = 'xkqzwv'
const badge = `badge-${number}`
/** The command does not hold the secrets as it prints them, so that its card does not either. */
const printing = (text: string) => `echo ${Buffer.from(`${text}\n`).toString('base64')} | base64 -d`
const printed = `one\ntoken ${token}\npostgres://app:${password}@db/x and ${badge}`

const allowed = {
  COUNTERSIGN_TOOLS_FILTERS_SECURITY_EXTRA_PATTERNS: '["badge-([a-z]{6})"]',
}

async function allowAll(flow: Flow): Promise<void> {
  const { permissions } = flow.product.ctx
  const { version } = await permissions.load('default')
  await permissions.save('default', version, '{"*": "allow"}')
}

const seen = (model: ScriptedModel): string => JSON.stringify(model.requests.at(-1)?.messages)

/** Every row of the tables that hold what was said and done, as one text. */
async function stored({ db }: Flow): Promise<string> {
  const tables = ['tool_call', 'audit_log', 'message', 'outbox', 'tool_overflow'] as const
  const rows = tables.map((table) => db.selectFrom(table).selectAll().execute())
  return JSON.stringify(await Promise.all(rows))
}

async function run(settings: Readonly<Record<string, string>>) {
  const model = createScriptedModel([call('bash', { command: printing(printed) }), say('done')])
  const flow = await createFlow({ model, settings: { ...allowed, ...settings } })
  await allowAll(flow)
  await flow.say('show them')
  return { flow, model }
}

test('OUT-08 what a command prints reaches the model, the chat and the database without its secrets, and with a warning', async () => {
  const { flow, model } = await run({})
  await using _flow = flow
  const text = seen(model)
  expect(text).toContain('token [redacted:github-token]')
  expect(text).toContain(
    'postgres://app:[redacted:connection-password]@db/x and badge-[redacted:extra-pattern]',
  )
  expect(text).toContain(
    '[secrets were redacted: github-token (line 2), connection-password (line 3), extra-pattern (line 3)]',
  )
  for (const place of [text, JSON.stringify(flow.platform.sent), await stored(flow)]) {
    for (const secret of [token, password, number]) expect(place).not.toContain(secret)
  }
})

test('OUT-08 [tools.filters.security] enabled = false drops the warning, never the redaction', async () => {
  const { flow, model } = await run({ COUNTERSIGN_TOOLS_FILTERS_SECURITY_ENABLED: 'false' })
  await using _flow = flow
  expect(seen(model)).toContain('token [redacted:github-token]')
  expect(seen(model)).not.toContain('secrets were redacted')
  expect(seen(model)).not.toContain(number)
})

test('OUT-08 AUD-01 secrets in a command, in a rule’s reason and in an error are not in the audit', async () => {
  const command = `curl -H 'Authorization: Bearer ${token}' https://app:${password}@a.example/${badge}; false`
  const model = createScriptedModel([
    call('bash', { command }),
    call('read', { path: `missing/${token}` }),
    say('done'),
  ])
  await using flow = await createFlow({ model, settings: allowed })
  await allowAll(flow)
  await flow.say('go')
  const rows = await flow.db.selectFrom('audit_log').selectAll().orderBy('id').execute()
  const text = rows.map(({ body }) => body).join('\n')
  for (const secret of [token, password, number]) expect(text).not.toContain(secret)
  const [first] = rows.map(({ body }): { arguments?: string } => JSON.parse(body))
  expect(JSON.parse(first?.arguments ?? '')).toEqual({
    command: expect.stringContaining('Bearer [redacted:github-token]'),
  })
  const results = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')
  expect(results).toHaveLength(2)
  expect(JSON.stringify(results)).toContain('missing/[redacted:github-token]')
  expect(JSON.stringify(results)).not.toContain(token)
})

test('OUT-08 CONF-02 the log redacts what the operator’s patterns fit, and says which pattern is not used', async () => {
  const model = createScriptedModel([])
  const patterns = JSON.stringify(['badge-([a-z]{6})', `x${'y'.repeat(512)}`])
  const settings = { COUNTERSIGN_TOOLS_FILTERS_SECURITY_EXTRA_PATTERNS: patterns }
  await using flow = await createFlow({ model, settings })
  const lines: string[] = []
  const output = { isTTY: false, write: (line: string) => lines.push(line) }
  const log = createLog(flow.config, { output: output as unknown as NodeJS.WritableStream })
  log.warn({ err: new Error(`401 for ${token}`), what: badge }, `it was postgres://a:${password}@b`)
  const [skipped, said] = lines.map((line) => JSON.parse(line))
  expect(skipped).toMatchObject({ level: 40, number: 2, why: expect.stringContaining('512') })
  expect(said).toMatchObject({ what: 'badge-[redacted:extra-pattern]' })
  expect(lines.join('')).not.toMatch(new RegExp(`${token}|${password}|${number}`))
})
