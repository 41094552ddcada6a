import { describe, expect, test } from 'vitest'
import { checkRole, needlessSecrets, type Role } from '../../../src/app/processes/check-state.ts'
import { configOf, loadWith } from '../../config/support.ts'

const database = { DATABASE_URL: 'postgres://ada:db-password@db/one' }
const redis = { REDIS_URL: 'redis://:redis-password@queue' }
const enrolmentSecret = { COUNTERSIGN_ENROLMENT_SECRET: 'the-secret-that-tokens-are-made-from' }
const workerToken = { COUNTERSIGN_WORKER_TOKEN: 'c0ffee00'.repeat(8) }
const signingKey = { COUNTERSIGN_SIGNING_KEY_FILE: '/keys/signing-key.pem' }
const verifyKeys = { COUNTERSIGN_VERIFY_KEYS_FILE: '/keys/verify-keys.pem' }
const telegram = { TELEGRAM_BOT_TOKEN: '1:telegram-token' }
const slack = {
  SLACK_BOT_TOKEN: 'xoxb-slack-token',
  SLACK_APP_TOKEN: 'xapp-slack-token',
  SLACK_SIGNING_SECRET: 'slack-signing-secret',
}
const models = { ANTHROPIC_API_KEY: 'anthropic-key', OPENAI_API_KEY: 'openai-key' }

type Variables = Readonly<Record<string, string>>

/** Exactly what a process of each role needs. */
const enough: Readonly<Record<Role, Variables>> = {
  gateway: { ...database, ...redis, ...telegram },
  agent: { ...database, ...redis, ...signingKey, ...enrolmentSecret },
  worker: { ...redis, ...verifyKeys, ...workerToken },
}
const forbidden = {
  ...database,
  ...telegram,
  ...slack,
  ...models,
  ...signingKey,
  ...enrolmentSecret,
}
const secrets = Object.entries({ ...enough.agent, ...enough.worker, ...forbidden })
  .filter(([name]) => !name.endsWith('KEY_FILE') && !name.endsWith('KEYS_FILE'))
  .map(([, value]) => value)
const roles = ['gateway', 'agent', 'worker'] as const

describe('required settings of a separate process', () => {
  test.each(roles)('PROC-01 a %s starts with what it needs', (role) => {
    expect(check(role, enough[role])).toEqual([])
    expect(needless(role, enough[role])).toEqual([])
  })

  test.each(
    roles.flatMap((role) => Object.keys(enough[role]).map((name) => [role, name] as const)),
  )('PROC-01 a %s refuses to start without %s, and names it', (role, name) => {
    const { [name]: _, ...others } = enough[role]
    expect(check(role, others)).toEqual([
      expect.stringMatching(`^${name}(?: or \\w+)? is not set: `),
    ])
  })

  test.each(roles)('PROC-01 a %s without settings reports all that is missing at once', (role) => {
    const lines = check(role, {})
    expect(lines.map(variableOf)).toEqual(expect.arrayContaining(Object.keys(enough[role])))
    expect(lines).toHaveLength(Object.keys(enough[role]).length)
  })

  test.each(roles)('CONF-02 a %s reads its secrets from files too', (role) => {
    const { variables, files } = inFiles(enough[role])
    expect(checkRole(role, configOf(loadWith(files, variables)))).toEqual([])
  })
})

describe('secrets that workers enrol with', () => {
  test('PROC-02 THREAT-5 a short secret could be guessed from a greeting: an agent refuses it without showing it', () => {
    const given = { ...enough.agent, COUNTERSIGN_ENROLMENT_SECRET: 'x'.repeat(31) }
    const lines = check('agent', given)
    expect(lines).toEqual([
      expect.stringMatching('^COUNTERSIGN_ENROLMENT_SECRET is shorter than 32'),
    ])
    expect(lines.join()).not.toContain('xxxx')
    expect(check('agent', { ...given, COUNTERSIGN_ENROLMENT_SECRET: 'x'.repeat(32) })).toEqual([])
  })

  test.each([
    'a'.repeat(63),
    'a'.repeat(65),
    'A'.repeat(64),
    'x'.repeat(64),
    'the-secret-that-tokens-are-made-from',
  ])(
    'PROC-02 THREAT-5 %s is no token: a worker refuses it without showing it, and says where its own comes from',
    (token) => {
      const given = { ...enough.worker, COUNTERSIGN_WORKER_TOKEN: token }
      const lines = check('worker', { ...given, COUNTERSIGN_WORKER_NAME: 'build' })
      expect(lines).toEqual([expect.stringMatching('^COUNTERSIGN_WORKER_TOKEN is not 64 ')])
      expect(lines.join()).toContain('countersign keys token build')
      expect(lines.join()).not.toContain(token)
    },
  )
})

describe('settings that a worker must not hold', () => {
  test.each(Object.entries(forbidden))(
    'PROC-01 THREAT-13 a worker refuses to start with %s, and names it without its value',
    (name, value) => {
      const [line = '', ...more] = check('worker', { ...enough.worker, [name]: value })
      expect(more).toEqual([])
      expect(variableOf(line)).toBe(name)
      expect(line).toContain('a worker must not hold it')
    },
  )

  test.each(Object.keys(forbidden).filter((name) => !name.endsWith('_FILE')))(
    'PROC-01 CONF-02 a worker refuses to start with %s in a file, too',
    (name) => {
      const { variables, files } = inFiles({ ...forbidden, ...enough.worker })
      const own = `${name}_FILE`
      const given = { ...enough.worker, [own]: variables[own] ?? '' }
      const lines = checkRole('worker', configOf(loadWith(files, given)))
      expect(lines).toEqual([expect.stringContaining(name)])
    },
  )

  test('PROC-01 all problems are reported at once, without any value', () => {
    const { REDIS_URL: _, ...others } = enough.worker
    const lines = check('worker', { ...forbidden, ...others })
    expect(lines.map(variableOf).toSorted()).toEqual(
      ['REDIS_URL', ...Object.keys(forbidden)].toSorted(),
    )
    for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret)
  })

  test('PROC-01 an empty variable counts as unset', () => {
    const empty = Object.fromEntries(Object.keys(forbidden).map((name) => [name, '']))
    expect(check('worker', { ...empty, ...enough.worker })).toEqual([])
  })
})

describe('settings that a gateway or an agent does not need', () => {
  test('PROC-01 a gateway warns about the keys of models, the signing key and the enrolment secret', () => {
    const given = { ...enough.gateway, ...enough.agent, ...enough.worker, ...models }
    expect(check('gateway', given)).toEqual([])
    expect(needless('gateway', given)).toEqual([
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'COUNTERSIGN_SIGNING_KEY_FILE',
      'COUNTERSIGN_ENROLMENT_SECRET',
      'COUNTERSIGN_WORKER_TOKEN',
    ])
  })

  test('PROC-01 an agent warns about the tokens of chat platforms and of a worker', () => {
    const given = { ...enough.agent, ...telegram, ...slack, ...models, ...workerToken }
    expect(check('agent', given)).toEqual([])
    expect(needless('agent', given)).toEqual([
      ...Object.keys(telegram),
      ...Object.keys(slack),
      'COUNTERSIGN_WORKER_TOKEN',
    ])
  })
})

function check(role: Role, variables: Variables): readonly string[] {
  return checkRole(role, configOf(loadWith({}, variables)))
}

function needless(role: Role, variables: Variables): readonly string[] {
  return needlessSecrets(role, configOf(loadWith({}, variables)))
}

function variableOf(line: string): string {
  return line.split(' ', 1)[0] ?? ''
}

/** The same, each secret in its own file. */
function inFiles(variables: Variables): { variables: Variables; files: Variables } {
  const named = Object.entries(variables).filter(([name]) => name.endsWith('_FILE'))
  const moved = Object.entries(variables).filter(([name]) => !name.endsWith('_FILE'))
  return {
    variables: Object.fromEntries([
      ...named,
      ...moved.map(([name]) => [`${name}_FILE`, `/secrets/${name}`]),
    ]),
    files: Object.fromEntries(moved.map(([name, value]) => [`/secrets/${name}`, `${value}\n`])),
  }
}
