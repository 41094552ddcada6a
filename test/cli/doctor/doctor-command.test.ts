import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkNode } from '../../../src/cli/doctor/check-host.ts'
import { configReference } from '../../../src/config/reference.ts'
import { grantAppRole } from '../../../src/db/roles/grant-roles.ts'
import { generateKeyPair } from '../../../src/rules/jobs/keys.ts'
import { createJsonServer } from '../../adapters/model/json-server.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createEmptyDatabase, createTestDatabase } from '../../support/database/database.ts'
import { createTelegram } from '../../support/telegram/telegram.ts'
import { runProgram, toDatabaseUrl } from '../run-program.ts'

/** The process driver starts wherever the tests run. */
const anywhere = { COUNTERSIGN_SANDBOX_DRIVER: 'process' }

async function doctor(cwd: string, environment: Record<string, string> = {}) {
  const ended = await runProgram(['doctor'], { cwd, environment: { ...anywhere, ...environment } })
  return { ...ended, lines: ended.stdout.split('\n').slice(0, -1) }
}

function lineOf(lines: readonly string[], what: string): string {
  return lines.find((line) => line.slice(6).startsWith(`${what}: `)) ?? `no line of ${what}`
}

describe('a machine where all is well', () => {
  test('CLI-01 doctor looks at everything, one line each, and leaves a fresh place as it was', async () => {
    await using directory = await temporaryDirectory()
    const { exitCode, lines, stderr } = await doctor(directory.path)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    for (const line of lines) expect(line).toMatch(/^(ok {2}|warn|fail) {2}[a-z ]+: \S/)
    expect(lines.filter((line) => line.startsWith('fail'))).toEqual([])
    for (const line of lines.filter((one) => one.startsWith('warn'))) expect(line).toContain(' → ')
    expect(lineOf(lines, 'node')).toContain(process.versions.node)
    expect(lineOf(lines, 'data directory')).toContain('is made at the first start')
    expect(lineOf(lines, 'database')).toMatch(/PostgreSQL \d+.*(plain|user-namespace|copied): /)
    expect(lineOf(lines, 'queue')).toMatch(/^ok/)
    // Both use the same clock; half of the query's duration appears as a difference.
    expect(lineOf(lines, 'clock')).toMatch(/^ok .* [0-4]\.\d s$/)
    expect(lineOf(lines, 'sandbox')).toMatch(
      /process .*asks for it; limits of a box: 512 processes/,
    )
    const isRoot = process.getuid?.() === 0
    expect(lineOf(lines, 'sandbox').includes('no command runs as root')).toBe(isRoot)
    expect(lineOf(lines, 'signing key')).toContain('made at the first start')
    expect(lineOf(lines, 'model')).toContain('offline')
    expect(lineOf(lines, 'permissions')).toContain('30 rules, the defaults')
    expect(await readdir(directory.path)).toEqual([])
  })

  test('CLI-01 doctor --json gives each finding as a line of JSON, and the same exit codes', async () => {
    await using directory = await temporaryDirectory()
    const environment = { ...anywhere, COUNTERSIGN_MODEL_PROVIDER: 'anthropic' }
    const { exitCode, stdout } = await runProgram(['doctor', '--json'], {
      cwd: directory.path,
      environment,
    })
    const findings = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    expect(findings.find(({ what }) => what === 'node')).toMatchObject({ level: 'ok' })
    expect(findings.find(({ what }) => what === 'model')).toMatchObject({
      level: 'fail',
      mend: expect.stringContaining('ANTHROPIC_API_KEY'),
    })
    expect(exitCode).toBe(1)
  })

  test('BASH-06 doctor reports what is missing for commands with a network', async () => {
    await using directory = await temporaryDirectory()
    const allowed = { COUNTERSIGN_TOOLS_SHELL_ALLOW_NETWORK: 'true' }
    const none = await doctor(directory.path)
    expect(lineOf(none.lines, 'network')).toMatch(
      /^ok .*commands have none\. To give them one: .*docker network create/,
    )
    const unnamed = await doctor(directory.path, allowed)
    expect(unnamed.exitCode).toBe(0)
    expect(unnamed.lines.filter((line) => line.startsWith('warn')).join()).toMatch(
      /allow_network is on and names no network, so commands have none: process .*docker network create/,
    )
    const named = { ...allowed, COUNTERSIGN_SANDBOX_NETWORK: 'for-commands' }
    expect(lineOf((await doctor(directory.path, named)).lines, 'sandbox')).toMatch(
      /^fail .*process could give commands no network but the host's.* → install docker\.io/,
    )
  })

  test('AUD-02 doctor says that one role for everything is weaker', async () => {
    await using directory = await temporaryDirectory()
    await using database = await createTestDatabase()
    const url = toDatabaseUrl(database.connection)
    const { exitCode, lines } = await doctor(directory.path, { DATABASE_URL: url })
    expect(exitCode).toBe(0)
    expect(lineOf(lines, 'database')).toContain('at DATABASE_URL')
    expect(lineOf(lines, 'migrations')).toBe('ok    migrations: up to date')
    expect(lineOf(lines, 'audit')).toMatch(/^warn .*weaker → /)
  })

  test('AUD-02 doctor accepts a role that cannot change the audit', async () => {
    await using directory = await temporaryDirectory()
    await using database = await createTestDatabase()
    const role = `plain_${database.connection.database}`
    await database.pool.query(`create role ${role} login`)
    try {
      await database.pool.query(`grant select on all tables in schema public to ${role}`)
      const url = toDatabaseUrl({ ...database.connection, user: role })
      const { exitCode, lines } = await doctor(directory.path, { DATABASE_URL: url })
      expect(lineOf(lines, 'audit')).toMatch(/^ok/)
      expect(lineOf(lines, 'queue')).toMatch(/^fail .*may not make the schema/)
      expect(exitCode).toBe(1)
    } finally {
      await database.pool.query(`drop owned by ${role}`)
      await database.pool.query(`drop role ${role}`)
    }
  })
})

describe('a machine where something is wrong', () => {
  test('CLI-01 STORE-03 AUD-02 doctor names the tables that an upgrade left closed to the role', async () => {
    await using directory = await temporaryDirectory()
    await using database = await createTestDatabase()
    const { pool, connection } = database
    const role = `app_${connection.database}`
    await grantAppRole(database.db, role)
    try {
      const look = async () => {
        const environment = { DATABASE_URL: toDatabaseUrl({ ...connection, user: role }) }
        return lineOf((await doctor(directory.path, environment)).lines, 'tables')
      }
      expect(await look()).toBe('ok    tables: the role of the product may use them all')
      await pool.query('create table anew (a int)')
      await pool.query(`revoke all on worker from ${role}; revoke update on turn from ${role}`)
      await pool.query(`revoke insert on audit_log from ${role}`)
      expect(await look()).toMatch(
        /^fail {2}tables: .* lacks rights to anew \(select, insert, update\), audit_log \(insert\), turn \(update\), worker \(.+\) → run countersign migrate with COUNTERSIGN_APP_DATABASE_URL as the owner/,
      )
    } finally {
      await pool.query(`drop owned by ${role}`)
      await pool.query(`drop role ${role}`)
    }
  })

  test('CLI-01 MODEL-04 doctor continues after a failure, prints its remedy, exits with 1 and shows no secret', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    const keys = join(cwd, 'data', 'keys')
    await mkdir(keys, { recursive: true })
    await chmod(join(cwd, 'data'), 0o755)
    const { privateKeyPem } = generateKeyPair()
    await writeFile(join(keys, 'signing-key.pem'), privateKeyPem)
    await chmod(join(keys, 'signing-key.pem'), 0o644)
    await mkdir(join(cwd, 'data', 'workers', 'default'), { recursive: true })
    await writeFile(join(cwd, 'data', 'workers', 'default', 'permissions.jsonc'), '{"bash": "no"}')
    await writeFile(join(cwd, 'countersign.toml'), '[models.second]\nprovider = "openai"\n')
    await using openai = await createJsonServer(() => ({ body: { id: 'gpt-5' } }))
    const { exitCode, lines, stdout, stderr } = await doctor(cwd, {
      DATABASE_URL: 'postgres://ada:hunter22hunter@127.0.0.1:1/none',
      REDIS_URL: 'redis://:hunter33hunter@127.0.0.1:1',
      COUNTERSIGN_TOOLS_PERMISSIONS_STORE: 'file',
      COUNTERSIGN_MODEL_PROVIDER: 'anthropic',
      OPENAI_API_KEY: 'sk-hunter44hunter',
      OPENAI_BASE_URL: openai.url,
      COUNTERSIGN_MODEL_FALLBACK: 'second',
    })
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
    expect(lineOf(lines, 'fallback model')).toMatch(
      /^ok .*openai, gpt-5, key present, the provider/,
    )
    expect(lineOf(lines, 'data directory')).toMatch(/^warn .*mode 755.* → chmod 700 /)
    expect(lineOf(lines, 'database')).toMatch(/^fail .*cannot reach .* → .*DATABASE_URL/)
    expect(lineOf(lines, 'sandbox')).toMatch(/^ok/)
    expect(lineOf(lines, 'signing key')).toMatch(/^warn .*mode 644.* → chmod 600 /)
    expect(lineOf(lines, 'model')).toMatch(/^fail .*no key.* → set ANTHROPIC_API_KEY/)
    expect(lineOf(lines, 'permissions')).toMatch(/^fail .*permissions\.jsonc:1: .*every call asks/)
    expect(stdout).not.toMatch(/hunter|BEGIN/)
  })

  test('CONF-02 every problem of a broken configuration is reported', async () => {
    await using directory = await temporaryDirectory()
    await writeFile(join(directory.path, 'countersign.toml'), '[agent]\nmaxx = 1\n[toolz]\n')
    const { exitCode, lines } = await doctor(directory.path)
    expect(exitCode).toBe(1)
    const failures = lines.filter((line) => line.startsWith('fail  configuration: '))
    expect(failures).toHaveLength(2)
    expect(failures[0]).toContain('countersign.toml:2: agent.maxx')
  })

  test('STORE-03 a database that lacks migrations, or is newer, is reported', async () => {
    await using directory = await temporaryDirectory()
    await using empty = await createEmptyDatabase()
    const before = await doctor(directory.path, { DATABASE_URL: toDatabaseUrl(empty.connection) })
    expect(lineOf(before.lines, 'migrations')).toMatch(/^warn .*\d to do.* → .*migrate/)
    await using database = await createTestDatabase()
    await database.pool.query(
      "insert into kysely_migration (name, timestamp) values ('29990101T000000-later', 'now')",
    )
    const url = toDatabaseUrl(database.connection)
    const after = await doctor(directory.path, { DATABASE_URL: url })
    expect(after.exitCode).toBe(1)
    expect(lineOf(after.lines, 'migrations')).toMatch(/^fail .*newer version/)
  })

  test('GATE-10 doctor warns when the gate is switched off', async () => {
    await using directory = await temporaryDirectory()
    await using database = await createTestDatabase()
    const place = join(directory.path, 'data', 'workers', 'default')
    await mkdir(place, { recursive: true })
    await writeFile(join(place, 'permissions.jsonc'), '{"*": "allow"}')
    const url = toDatabaseUrl(database.connection)
    const { exitCode, lines } = await doctor(directory.path, { DATABASE_URL: url })
    expect(exitCode).toBe(0)
    expect(lineOf(lines, 'permissions')).toMatch(/^warn .*the gate is switched off.*nothing asks/)
  })

  test('DECISION-13 keys that workers would reject are reported', async () => {
    await using directory = await temporaryDirectory()
    await using database = await createTestDatabase()
    const file = (name: string): string => join(directory.path, name)
    await writeFile(file('signing.pem'), generateKeyPair().privateKeyPem, { mode: 0o600 })
    await writeFile(file('verify.pem'), generateKeyPair().publicKeyPem)
    const url = toDatabaseUrl(database.connection)
    const common = { DATABASE_URL: url, COUNTERSIGN_SIGNING_KEY_FILE: file('signing.pem') }
    const strangers = { ...common, COUNTERSIGN_VERIFY_KEYS_FILE: file('verify.pem') }
    const other = await doctor(directory.path, strangers)
    expect(other.exitCode).toBe(1)
    expect(lineOf(other.lines, 'verifying keys')).toMatch(/^fail .*lacks [0-9a-f]{16}/)
    const missing = { ...common, COUNTERSIGN_SIGNING_KEY_FILE: file('gone.pem') }
    const gone = await doctor(directory.path, missing)
    expect(lineOf(gone.lines, 'signing key')).toMatch(/^fail .*ENOENT.* → .*keys new/)
  })

  test('CLI-01 an old Node is a failure', () => {
    for (const version of ['18.20.8', '22.18.0']) expect(checkNode(version).level).toBe('fail')
    for (const version of ['22.19.0', '22.20.1', '24.0.0', '26.1.0'])
      expect(checkNode(version).level).toBe('ok')
  })
})

describe('a bot', () => {
  const other = '123456789:AAE-some_other_token-0123456789abcdef'

  async function examined(environment: Record<string, string>) {
    await using directory = await temporaryDirectory()
    await using database = await createTestDatabase()
    const url = toDatabaseUrl(database.connection)
    const { lines, stdout } = await doctor(directory.path, { DATABASE_URL: url, ...environment })
    expect(stdout).not.toMatch(/AAE|its-secret/)
    return lines.filter((line) => line.slice(6).startsWith('telegram: '))
  }

  test.each([
    [true, 'privacy mode is off: in groups it is brought every message'],
    [false, 'privacy mode is on: in groups it is brought what is addressed to it'],
  ])(
    'CLI-01 TG-04 is named, with what it reads of groups (%s)',
    async (readsAllGroupMessages, words) => {
      const bot = { token: other, username: 'our_bot', readsAllGroupMessages }
      await using telegram = await createTelegram({ bots: [bot] })
      const lines = await examined({ TELEGRAM_BOT_TOKEN: other, TELEGRAM_API_ROOT: telegram.url })
      expect(lines).toEqual([
        'ok    telegram: the token is that of @our_bot',
        expect.stringContaining(`ok    telegram: ${words}`),
      ])
    },
  )

  test('CLI-01 TG-01 with a webhook though long polling is configured is warned of, and of what fails there', async () => {
    await using telegram = await createTelegram()
    const url = 'http://127.0.0.1:1/its-secret'
    await fetch(`${telegram.url}/bot${telegram.token}/setWebhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    })
    const ada = telegram.addUser({ id: 42, first_name: 'Ada' })
    telegram.privateChat(ada).send(ada, 'hello')
    const root = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_API_ROOT: telegram.url }
    const [, , webhook, failing, ...more] = await examined(root)
    expect(webhook).toMatch(/^warn .*a webhook at 127\.0\.0\.1:1 is set, but long polling .* → /)
    expect(failing).toMatch(/^warn .*its last call of the webhook failed: .* → /)
    expect(more).toEqual([])
  })

  test('CLI-01 is told apart: no answer, an answer of something else, and a token that is refused', async () => {
    await using telegram = await createTelegram()
    telegram.fault = () => ({ kind: 'status', code: 200 })
    const at = (url: string, token = telegram.token) =>
      examined({ TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: url })
    const [silent, foreign, refused] = await Promise.all([
      at('http://127.0.0.1:1'),
      at(telegram.url),
      at(telegram.url, other),
    ])
    expect(silent).toEqual([
      expect.stringMatching(/^fail .*no answer within 8 s \(ECONNREFUSED\) → check the network/),
    ])
    expect(foreign).toEqual([
      expect.stringMatching(/^fail .*what answers is no Bot API → check TELEGRAM_API_ROOT/),
    ])
    expect(refused).toEqual([
      expect.stringMatching(/^fail .*the bot token was refused → ask @BotFather/),
    ])
  })
})

test('CONF-01 doctor --print-config-reference prints the reference', async () => {
  await using directory = await temporaryDirectory()
  const args = ['doctor', '--print-config-reference']
  const { exitCode, stdout } = await runProgram(args, { cwd: directory.path })
  expect(exitCode).toBe(0)
  expect(stdout).toBe(configReference())
})
