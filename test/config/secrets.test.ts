import { format, inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Environment } from '../../src/config/env.ts'
import { parseOtlpHeaders } from '../../src/config/otlp-headers.ts'
import { formatProblems } from '../../src/config/problems.ts'
import { knownSecrets, Secret } from '../../src/config/secrets.ts'
import { configOf, loadWith, problemsOf } from './support.ts'

const variables = {
  TELEGRAM_BOT_TOKEN: '123:telegram-token',
  SLACK_BOT_TOKEN: 'xoxb-slack-bot',
  SLACK_APP_TOKEN: 'xapp-slack-app',
  SLACK_SIGNING_SECRET: 'slack-signing',
  ANTHROPIC_API_KEY: 'sk-ant-anthropic',
  OPENAI_API_KEY: 'sk-openai',
  COUNTERSIGN_ENROLMENT_SECRET: 'enrolment-secret',
  COUNTERSIGN_WORKER_TOKEN: 'worker-token',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20otlp-token,x-tenant=the%2Ctenant',
  DATABASE_URL: 'postgres://bot:data%2Fbase@db/bot',
  REDIS_URL: 'rediss://:redis-password@redis:6379/0',
  COUNTERSIGN_MCP: '{"issues":{"url":"https://mcp.example","token_variable":"ISSUES_TOKEN"}}',
  ISSUES_TOKEN: 'issues-token',
}

describe('CONF-02 secrets are never printed', () => {
  test('CONF-02 a secret shows nothing of itself, however it is printed', () => {
    const secret = new Secret('hunter22')
    const printed = [
      `${secret}`,
      String(secret),
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ deep: { secret } }, { showHidden: true, depth: 9 }),
      inspect(secret, { customInspect: false, showHidden: true }),
      format('%s %o %j', secret, secret, secret),
      JSON.stringify(Object.entries(secret)),
    ]
    expect(printed.join('\n')).not.toContain('hunter22')
    expect(printed.slice(0, 2)).toEqual(['[secret]', '[secret]'])
    expect(secret.reveal()).toBe('hunter22')
  })

  test('CONF-02 a printed configuration or environment holds no secret', () => {
    const environment = new Environment(variables)
    const config = configOf(loadWith({}, variables))
    const printed = [config, environment].map(
      (value) => inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value),
    )
    for (const secret of knownSecrets(config)) expect(printed.join('\n')).not.toContain(secret)
  })

  test('CONF-02 all secrets that the process holds are known for redaction', () => {
    const config = configOf(loadWith({}, variables))
    expect([...knownSecrets(config)].sort()).toEqual(
      [
        '123:telegram-token',
        'xoxb-slack-bot',
        'xapp-slack-app',
        'slack-signing',
        'sk-ant-anthropic',
        'sk-openai',
        'enrolment-secret',
        'worker-token',
        'issues-token',
        'authorization=Bearer%20otlp-token,x-tenant=the%2Ctenant',
        'Bearer%20otlp-token',
        'Bearer otlp-token',
        'otlp-token',
        'postgres://bot:data%2Fbase@db/bot',
        'data%2Fbase',
        'data/base',
        'rediss://:redis-password@redis:6379/0',
        'redis-password',
      ].sort(),
    )
    const lengths = knownSecrets(config).map(({ length }) => length)
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a))
  })

  test('CONF-02 the words of a header that is no credential stay words: only its name or its length makes it a secret', () => {
    const secretsOf = (headers: string) =>
      knownSecrets(configOf(loadWith({}, { OTEL_EXPORTER_OTLP_HEADERS: headers })))
    const words = 'x-scope-orgid=production,x-env=Basic%20staging'
    expect(secretsOf(words)).toEqual([])
    const long = 'x-scope-orgid=production,x-team=Basic%20production'
    expect(secretsOf(long)).toEqual([long, 'Basic%20production', 'Basic production'])
    for (const name of [
      'Authorization',
      'x-api-KEY',
      'x_token',
      'secret-of',
      'Password',
      'cookie',
    ]) {
      const headers = `x-scope-orgid=production,${name}=Basic%20hunter-2`
      const known = [headers, 'Basic%20hunter-2', 'Basic hunter-2', 'hunter-2']
      expect(secretsOf(headers), name).toEqual(known)
    }
  })

  test.for([
    ['a=b,', { a: 'b' }],
    [',a=b, ,c=d', { a: 'b', c: 'd' }],
    [' , ', {}],
  ] as const)(
    'CONF-03 PROC-05 empty entries among the headers of traces mean nothing: %j',
    ([text, headers]) => {
      expect(problemsOf(loadWith({}, { OTEL_EXPORTER_OTLP_HEADERS: text }))).toEqual([])
      expect(parseOtlpHeaders(text)).toEqual({ kind: 'headers', headers })
    },
  )

  test('CONF-02 values below eight characters are not redacted', () => {
    expect(knownSecrets(configOf(loadWith({}, { OPENAI_API_KEY: '1234567' })))).toEqual([])
    expect(knownSecrets(configOf(loadWith({}, { OPENAI_API_KEY: '12345678' })))).toEqual([
      '12345678',
    ])
  })

  test('CONF-02 a secret comes from a file, trimmed', () => {
    const files = { '/run/secrets/key': '\n sk-from-file \n', '/srv/bot/db': 'postgres://h/d\n' }
    const config = configOf(
      loadWith(files, { OPENAI_API_KEY_FILE: '/run/secrets/key', DATABASE_URL_FILE: 'db' }),
    )
    expect(config.secrets.openaiApiKey?.reveal()).toBe('sk-from-file')
    expect(config.databaseUrl?.reveal()).toBe('postgres://h/d')
    expect(config.model.provider).toBe('openai')
  })

  test.for([
    [{ OPENAI_API_KEY: 'hidden-1', OPENAI_API_KEY_FILE: '/key' }, 'is set beside OPENAI_API_KEY'],
    [{ OPENAI_API_KEY_FILE: '/gone' }, 'cannot read /gone: ENOENT'],
    [{ OPENAI_API_KEY_FILE: '/empty' }, 'found none in /empty'],
    [{ OPENAI_API_KEY: 'hidden 2' }, 'without white space'],
    [{ DATABASE_URL: 'hidden-3' }, 'begins with postgres:// or postgresql://'],
    [{ REDIS_URL: 'http://:hidden-4@h' }, 'begins with redis:// or rediss://'],
    [{ DATABASE_URL_FILE: '/key' }, 'begins with postgres://'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'hidden-a' }, 'key=value,key=value: header 1 has no name'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b,hidden-a' }, 'header 2 has no name; a comma in a value'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'hidden a=b' }, 'header 1 has a name that HTTP does not know'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'hidden=' }, 'header 1 has no value'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'Hidden=a,hidden=b' }, 'header 2 has the name of another'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=hidden;b=c' }, 'semicolon, which is written %3B'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=hidden%' }, '% that encodes nothing; it is written %25'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=hidden%0Ab' }, 'holds what a header cannot carry'],
    [{ OTEL_EXPORTER_OTLP_HEADERS_FILE: '/key' }, 'header 1 has no name'],
    [{ COUNTERSIGN_TELEGRAM_BOT_TOKEN: 'hidden-6' }, 'did you mean TELEGRAM_BOT_TOKEN?'],
    [{ COUNTERSIGN_TOOLS_ENABLED: 'hidden-7' }, 'expected true or false'],
    [{ COUNTERSIGN_SANDBOX_DRIVER: 'hidden-8' }, 'expected one of'],
    [{ COUNTERSIGN_MCP: '{"hidden-9' }, 'expected a table as JSON'],
  ] as const)('CONF-02 a problem with %o names the variable, not its value', ([set, words]) => {
    const files = { '/key': 'hidden-5', '/empty': ' \n' }
    const problems = problemsOf(loadWith(files, set))
    const text = formatProblems(problems)
    expect(problems).toHaveLength(1)
    expect(text).toContain(words)
    expect(text).not.toContain('hidden')
    expect(Object.keys(set)).toContain(problems[0]?.source)
  })
})
