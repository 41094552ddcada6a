import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { newKeys } from '../../../src/cli/setup/new-keys.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from '../run-program.ts'

const roles = ['gateway', 'agent', 'worker'] as const
/** Nothing listens there: a process that got this far would wait. */
const nowhere = 'redis://:a-redis-password@127.0.0.1:1'
const secrets = {
  DATABASE_URL: 'postgres://ada:a-database-password@127.0.0.1:1/one',
  TELEGRAM_BOT_TOKEN: '123:a-telegram-token',
  SLACK_BOT_TOKEN: 'xoxb-a-slack-token',
  SLACK_APP_TOKEN: 'xapp-a-slack-token',
  SLACK_SIGNING_SECRET: 'a-slack-signing-secret',
  ANTHROPIC_API_KEY: 'an-anthropic-key',
  OPENAI_API_KEY: 'an-openai-key',
}

let cwd = ''
let keys: Awaited<ReturnType<typeof newKeys>>
beforeAll(async () => {
  const directory = await temporaryDirectory()
  cwd = directory.path
  const place = join(cwd, 'keys')
  keys = await newKeys({
    directory: place,
    workerDirectory: place,
    worker: 'default',
    keep: false,
  })
  return () => directory[Symbol.asyncDispose]()
})

describe('help', () => {
  test.each([
    ['gateway', ['DATABASE_URL', 'REDIS_URL', 'TELEGRAM_BOT_TOKEN']],
    [
      'agent',
      ['DATABASE_URL', 'REDIS_URL', 'COUNTERSIGN_SIGNING_KEY_FILE', 'COUNTERSIGN_ENROLMENT_SECRET'],
    ],
    ['worker', ['REDIS_URL', 'COUNTERSIGN_VERIFY_KEYS_FILE', 'COUNTERSIGN_WORKER_TOKEN']],
  ])(
    'CLI-01 PROC-01 %s --help says what it is for, what it needs and how it ends',
    async (role, names) => {
      const { exitCode, stdout, stderr } = await runProgram([role, '--help'], { cwd })
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      expect(stdout).toContain(`Usage: countersign ${role}`)
      for (const name of names) expect(stdout).toContain(`  ${name} `)
      expect(stdout).toContain('/healthz')
      expect(stdout).toContain('Exit codes: 0 ')
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
    },
  )
})

describe('wrong configuration', () => {
  test.each([
    ['gateway', ['DATABASE_URL', 'REDIS_URL', 'TELEGRAM_BOT_TOKEN']],
    [
      'agent',
      ['DATABASE_URL', 'REDIS_URL', 'COUNTERSIGN_SIGNING_KEY_FILE', 'COUNTERSIGN_ENROLMENT_SECRET'],
    ],
    ['worker', ['REDIS_URL', 'COUNTERSIGN_VERIFY_KEYS_FILE', 'COUNTERSIGN_WORKER_TOKEN']],
  ])('PROC-01 a %s with nothing ends with 2 and names all it lacks', async (role, names) => {
    const { exitCode, stdout, stderr } = await runProgram([role], { cwd })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    for (const name of names) expect(stderr).toMatch(new RegExp(`${name}(?: or \\w+)? is not set`))
    expect(stderr).not.toMatch(/ {4}at /)
  })

  test('PROC-01 a worker that is given what it must not hold ends with 2, names each and shows none', async () => {
    const environment = {
      ...secrets,
      COUNTERSIGN_SIGNING_KEY_FILE: keys.signingKeyFile,
      COUNTERSIGN_ENROLMENT_SECRET_FILE: keys.enrolmentSecretFile,
      ...workersOwn(),
    }
    const ended = await runProgram(['worker'], { cwd, environment })
    expect({ exitCode: ended.exitCode, stdout: ended.stdout }).toEqual({ exitCode: 2, stdout: '' })
    for (const name of [...Object.keys(secrets), ...agentsOwn]) {
      expect(ended.stderr).toContain(`${name} is set, and a worker must not hold it`)
    }
    expectNoSecretIn(ended.stderr)
  })

  test('PROC-01 CONF-02 a worker that is given them in files ends with 2, too', async () => {
    const files = Object.entries(secrets).map(([name, value]) => {
      const file = join(cwd, name)
      return { name, file, value }
    })
    for (const { file, value } of files) await writeFile(file, `${value}\n`)
    const named = Object.fromEntries(files.map(({ name, file }) => [`${name}_FILE`, file]))
    const ended = await runProgram(['worker'], { cwd, environment: { ...named, ...workersOwn() } })
    expect(ended.exitCode).toBe(2)
    for (const { name } of files) expect(ended.stderr).toContain(name)
    expectNoSecretIn(ended.stderr)
  })

  test.each([
    ['a signing key where verifying keys are wanted', () => keys.signingKeyFile],
    ['a file that is not there', () => join(cwd, 'missing.pem')],
  ])('PROC-02 a worker with %s ends in words', async (_what, file) => {
    const environment = { ...workersOwn(), COUNTERSIGN_VERIFY_KEYS_FILE: file() }
    const { exitCode, stderr } = await runProgram(['worker'], { cwd, environment })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(file())
    expect(stderr).not.toMatch(/PRIVATE| {4}at /)
  })

  test('CONF-02 an address of Redis that is none ends with 2 and is not shown', async () => {
    const environment = { ...workersOwn(), REDIS_URL: 'http://:a-redis-password@queue' }
    const { exitCode, stderr } = await runProgram(['worker'], { cwd, environment })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('REDIS_URL')
    expectNoSecretIn(stderr)
  })

  test.each(roles)('CLI-01 %s takes no arguments', async (role) => {
    const { exitCode, stderr } = await runProgram([role, 'extra'], { cwd })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('too many arguments')
  })
})

const agentsOwn = ['COUNTERSIGN_SIGNING_KEY_FILE', 'COUNTERSIGN_ENROLMENT_SECRET']

/** Returns a complete environment of a worker. */
function workersOwn(): Readonly<Record<string, string>> {
  return {
    REDIS_URL: nowhere,
    COUNTERSIGN_VERIFY_KEYS_FILE: keys.verifyKeysFile,
    COUNTERSIGN_WORKER_TOKEN_FILE: keys.workerTokenFile,
  }
}

function expectNoSecretIn(text: string): void {
  for (const secret of [...Object.values(secrets), 'a-redis-password', 'a-database-password']) {
    expect(text).not.toContain(secret)
  }
}

describe('as a container runs them', () => {
  const asJson = { COUNTERSIGN_LOGGING_FORMAT: 'json' }

  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['lacks an address', ['agent'], {}, /REDIS_URL/],
    ['is configured wrongly', ['start'], { COUNTERSIGN_LOGGING_LEVEL: 'loud' }, /has a problem/],
    [
      'cannot listen where it is told to',
      ['start'],
      {
        TELEGRAM_BOT_TOKEN: '1:x',
        TELEGRAM_API_ROOT: 'http://127.0.0.1:1',
        // Addresses for documentation are never assigned.
        COUNTERSIGN_HTTP_LISTEN: '192.0.2.1:8420',
      },
      /cannot listen on/,
    ],
  ])('PROC-05 every line is JSON, also where it %s', async (_what, args, environment, words) => {
    const ended = await runProgram(args, { cwd, environment: { ...asJson, ...environment } })
    expect(ended.exitCode).toBeGreaterThan(0)
    const lines = `${ended.stdout}${ended.stderr}`.trimEnd().split('\n')
    const parsed = lines.map((line) => JSON.parse(line))
    expect(parsed.map(({ msg }) => msg).join('\n')).toMatch(words)
    expect(parsed.at(-1).level).toBe(60)
    for (const { level, time } of parsed)
      expect([typeof level, typeof time]).toEqual(['number', 'string'])
  })
})
