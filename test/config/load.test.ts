import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { Environment, readEnvironment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { formatProblems } from '../../src/config/problems.ts'
import { configOf, loadToml, loadWith, problemsOf } from './support.ts'

describe('CONF-02 everything wrong is told at once', () => {
  test('CONF-02 each problem has file, line, key and what was expected', () => {
    const toml = `[agent]
max_tool_iteration = 5

[tools.shell]
timeout = "x"   # no time
allow_network = 'yes'
[tools.permissions.bash]

# the header above is empty
[[tools.permissions.bash]]
pattern = "*sudo*"
action = "Deny"
[[tools.permissions.bash]]
action = "deny"
[[tools.permissions.read]]
pattern = "!(a)"
action = "deny"
[telegram]
allowed_users = [
  42,
  true,
  "not a name",
]
[model]
provider = "antropic"
context_window = 1979-05-27
[tools.policy]
rules = [{effect = "deny", tool = "bash", args_match = "(?=x)"}, {effect = "deny", tool = "b",
  paths = ["a["]}]
[tools.dependencies.rules]
a.requires = ["b"]
b.requires = ["a"]
[shell]
`
    const problems = problemsOf(loadToml(toml))
    const found = problems.map(({ line, key, message }) => `${line} ${key}: ${message}`)
    const expected = [
      [2, 'agent.max_tool_iteration', 'there is no such key; did you mean "max_tool_iterations"?'],
      [5, 'tools.shell.timeout', 'expected seconds'],
      [6, 'tools.shell.allow_network', 'expected true or false, found other text'],
      [12, 'tools.permissions.bash[0].action', 'expected one of allow, ask, deny'],
      [13, 'tools.permissions.bash[1].pattern', 'is missing: expected a pattern'],
      [
        16,
        'tools.permissions.read[0].pattern',
        'the glob "!(a)" cannot be used: a pattern cannot begin with "!"',
      ],
      [21, 'telegram.allowed_users[1]', 'expected an id or a username, found true'],
      [22, 'telegram.allowed_users[2]', 'expected an id or a username'],
      [25, 'model.provider', 'did you mean "anthropic"?'],
      [26, 'model.context_window', 'found a date'],
      [28, 'tools.policy.rules[0].args_match', 'uses lookaround'],
      [
        29,
        'tools.policy.rules[1].paths[0]',
        'the glob "a[" cannot be used: a bracket has no other half',
      ],
      [31, 'tools.dependencies.rules.a.requires', 'in a circle: a → b → a'],
      [33, 'shell', 'there is no such key'],
    ] as const
    expect(found).toEqual(
      expected.map(([line, key, words]) =>
        expect.stringMatching(
          new RegExp(`^${escaped(`${line} ${key}: `)}.*${escaped(words)}`, 'u'),
        ),
      ),
    )
    expect(problems.every(({ source }) => source === '/srv/bot/countersign.toml')).toBe(true)
  })

  test('CONF-02 problems of the file, of variables and of secrets come together', () => {
    const problems = problemsOf(
      loadToml('[agent]\nx = 1', {
        COUNTERSIGN_TOOLS_ENABLED: 'no',
        COUNTERSIGN_NONE: '1',
        DATABASE_URL: 'mysql://h/d',
        SLACK_BOT_TOKEN_FILE: '/nowhere',
      }),
    )
    expect(problems.map(({ source }) => source).sort()).toEqual([
      '/srv/bot/countersign.toml',
      'COUNTERSIGN_NONE',
      'COUNTERSIGN_TOOLS_ENABLED',
      'DATABASE_URL',
      'SLACK_BOT_TOKEN_FILE',
    ])
  })

  test('CONF-02 what is wrong in the file is told also where a variable overrides it', () => {
    const problems = problemsOf(
      loadToml('[tools]\nenabled = 1', { COUNTERSIGN_TOOLS_ENABLED: 'true' }),
    )
    expect(problems).toMatchObject([{ line: 2, key: 'tools.enabled' }])
  })

  test('CONF-02 broken TOML names its line and does not quote the file', () => {
    const problems = problemsOf(loadToml('[agent]\n\ntoken = sk-hidden-123456\n'))
    expect(problems).toMatchObject([{ line: 3, message: expect.stringContaining('is not TOML') }])
    expect(formatProblems(problems)).not.toContain('hidden')
  })

  test('CONF-02 a file that is no UTF-8 or too large is refused', () => {
    expect(problemsOf(loadToml(Uint8Array.of(0xff, 0xfe, 0x00)))).toMatchObject([
      { message: 'is not UTF-8 text' },
    ])
    expect(problemsOf(loadToml(Buffer.alloc(1_048_577, '\n')))).toMatchObject([
      { message: 'is larger than 1 MiB' },
    ])
  })

  test.for([
    ['[telegram]\nbot_token = "123:hidden"', 'TELEGRAM_BOT_TOKEN_FILE'],
    ['[slack]\nsigning_secret = "hidden"', 'SLACK_SIGNING_SECRET'],
    ['[model]\napi_key = "hidden"', 'ANTHROPIC_API_KEY or OPENAI_API_KEY'],
    ['[database]\nurl = "postgres://hidden@h/d"', 'DATABASE_URL'],
    ['[queue]\nredis_url = "hidden"', 'REDIS_URL'],
    ['DATABASE_URL = "hidden"', 'DATABASE_URL'],
    ['[mcp.x]\ncommand = "x"\napi_token = "hidden"', '`token_variable`'],
    ['[worker]\npassword = "hidden"', 'looks like a secret'],
  ] as const)('CONF-02 a secret in the file is refused: %s', ([toml, words]) => {
    const text = formatProblems(problemsOf(loadToml(toml)))
    expect(text).toContain('the environment')
    expect(text).toContain(words)
    expect(text).not.toContain('hidden')
  })

  test.for([
    ['[tools.file]\ndeny_read = ["a["]', 'a['],
    ['[tools.file]\nallow_read = ["!x"]', '!x'],
    ['[tools.file]\ndeny_read = ["a****b"]', 'a****b'],
    ['[tools.filters.security]\nextra_patterns = ["(a"]', 'not valid'],
    ['[tools.filters.security]\nextra_patterns = ["(a)\\\\1"]', 'backreference'],
    ['[tools.filters.security]\nextra_patterns = ["(?<n>a)\\\\k<n>"]', 'backreference'],
    ['[tools.filters.security]\nextra_patterns = ["(?<!a)b"]', 'lookaround'],
    [`[tools.filters.security]\nextra_patterns = ["${'a'.repeat(1025)}"]`, '1024 characters'],
    [`[tools.file]\ndeny_read = ["${'a'.repeat(257)}"]`, '256 characters'],
    ['[tools.file]\nallowed_paths = ["../other"]', 'leaves the workspace'],
    ['[[tools.permissions.bash]]\npattern = ""\naction = "ask"', 'cannot be empty'],
  ] as const)('CONF-02 a bad glob or regex stops start-up: %s', ([toml, words]) => {
    expect(formatProblems(problemsOf(loadToml(toml)))).toContain(words)
  })

  test.for([
    ['{}', 'a table'],
    ['{ a = 1 }', 'a table'],
    ['[{}]', 'a list'],
    ['false', 'false'],
  ] as const)(
    'REL-02 one of several words that is given as %s is a problem like others',
    ([value, found]) => {
      expect(problemsOf(loadToml(`[approval]\non_expiry = ${value}\n`))).toMatchObject([
        { message: expect.stringMatching(new RegExp(`^expected .*, found ${found}$`)) },
      ])
    },
  )

  test('CONF-02 escapes and classes that only look like lookaround are taken', () => {
    const patterns = ['\\(?=x', '[(?=]x', '(?:a|b)+', '(?<name>a)', '\\\\1']
    const toml = `[tools.filters.security]\nextra_patterns = ${JSON.stringify(patterns)}`
    expect(configOf(loadToml(toml)).tools.filters.security.extraPatterns).toEqual(patterns)
  })

  test('CONF-02 what only conflicts together is told where it was written', () => {
    expect(
      problemsOf(loadToml('[models.slow]\nprovider = "offline"\n[model]\nfallback = "fast"')),
    ).toMatchObject([
      { line: 4, key: 'model.fallback', message: expect.stringContaining('there: slow') },
    ])
    expect(problemsOf(loadWith({}, { COUNTERSIGN_APPROVAL_ROUTE: 'channel' }))).toMatchObject([
      { source: 'COUNTERSIGN_APPROVAL_ROUTE' },
    ])
    const transactional =
      '[tools.shell]\ntransactional = true\n[worker]\nconcurrency = 4\n[sandbox]\n'
    expect(problemsOf(loadToml(`${transactional}max_boxes = 4`))).toMatchObject([
      { line: 6, key: 'sandbox.max_boxes', message: expect.stringContaining('(4)') },
    ])
    expect(loadToml(`${transactional}max_boxes = 5`).kind).toBe('ok')
  })

  test('SCH-03 a circle of requirements is refused, a long chain is not', () => {
    const chain = Array.from({ length: 5_000 }, (_, i) => `t${i}.requires = ["t${i + 1}"]`)
    const head = '[tools.dependencies.rules]\n'
    expect(loadToml(head + chain.join('\n')).kind).toBe('ok')
    const closed = [...chain, 't5000.requires = ["t2500"]']
    expect(problemsOf(loadToml(head + closed.join('\n')))).toMatchObject([
      { line: 2_502, message: expect.stringContaining('t2500 → t2501') },
    ])
  })

  test.for([
    ['nan', 0.6],
    ['inf', 0.6],
    ['-inf', 0.6],
    ['1.7', 1],
    ['-3', 0],
    ['0.25', 0.25],
  ] as const)('SCH-01 a complexity threshold of %s is %d', ([written, threshold]) => {
    const file = `[tools.tafc]\ncomplexity_threshold = ${written}`
    const variable = { COUNTERSIGN_TOOLS_TAFC_COMPLEXITY_THRESHOLD: written }
    expect(configOf(loadToml(file)).tools.tafc.complexityThreshold).toBe(threshold)
    expect(configOf(loadWith({}, variable)).tools.tafc.complexityThreshold).toBe(threshold)
  })
})

describe('CONF-01 what is loaded', () => {
  test.for([
    ['90', 90_000],
    ['1.5', 1_500],
    ['"250ms"', 250],
    ['"30s"', 30_000],
    ['"10m"', 600_000],
    ['"24h"', 86_400_000],
    ['"7d"', 604_800_000],
  ] as const)('CONF-01 a duration of %s is %d ms', ([written, ms]) => {
    expect(configOf(loadToml(`[worker]\ngrace = ${written}`)).worker.graceMs).toBe(ms)
  })

  test('CONF-01 durations are numbers of milliseconds by type as well', () => {
    const config = configOf(loadWith({}))
    expectTypeOf(config.tools.shell.timeoutMs).toEqualTypeOf<number>()
    expectTypeOf(config.tools.resultCache.ttlMs).toEqualTypeOf<number>()
    expectTypeOf(config.model.provider).toEqualTypeOf<
      'anthropic' | 'openai' | 'ollama' | 'offline'
    >()
    expectTypeOf(config.tools.shell.allowedPaths).toEqualTypeOf<readonly string[]>()
  })

  test('CONF-01 the configuration is frozen through and through', () => {
    const config = configOf(loadToml('[[tools.permissions.bash]]\npattern = "*"\naction = "ask"'))
    const parts: unknown[] = [config]
    for (const part of parts) {
      if (typeof part !== 'object' || part === null) continue
      expect(Object.isFrozen(part)).toBe(true)
      parts.push(...Object.values(part))
    }
    expect(parts.length).toBeGreaterThan(100)
  })

  test('CONF-01 paths are absolute: from the file, from the working directory, from home', () => {
    const toml = `[worker]
workspace = "project"
skill_folders = ["~/skills"]
[tools.shell]
allowed_paths = ["src", "~/data", "/opt//x"]`
    const config = configOf(
      loadWith(
        { '/etc/bot/main.toml': toml },
        {
          HOME: '/home/ada',
          COUNTERSIGN_CONFIG: '/etc/bot/main.toml',
          COUNTERSIGN_AGENTS_FOLDERS: 'agents',
          COUNTERSIGN_DATA_DIR: '~/state',
          COUNTERSIGN_SIGNING_KEY_FILE: 'keys/private',
          COUNTERSIGN_VERIFY_KEYS_FILE: '/keys/public',
        },
      ),
    )
    expect(config).toMatchObject({
      configFile: '/etc/bot/main.toml',
      configDir: '/etc/bot',
      dataDir: '/home/ada/state',
      signingKeyFile: '/srv/bot/keys/private',
      verifyKeysFile: '/keys/public',
      agents: { folders: ['/srv/bot/agents'] },
      worker: { workspace: '/etc/bot/project', skillFolders: ['/home/ada/skills'] },
    })
    expect(config.tools.shell.allowedPaths).toEqual(['src', '/home/ada/data', '/opt/x'])
  })

  test('CONF-03 without variables data and configuration are looked for beside the process', () => {
    const bare = configOf(loadWith({}))
    expect(bare.dataDir).toBe('/srv/bot/.countersign')
    expect(bare.configFile).toBeUndefined()
    expect(configOf(loadToml('')).configFile).toBe('/srv/bot/countersign.toml')
  })

  test('CONF-03 a configuration file that was named must be there', () => {
    expect(problemsOf(loadWith({}, { COUNTERSIGN_CONFIG: 'gone.toml' }))).toMatchObject([
      { source: '/srv/bot/gone.toml', message: 'cannot be read: ENOENT' },
    ])
  })

  test.for([
    [{}, 'offline'],
    [{ OLLAMA_BASE_URL: 'http://127.0.0.1:11434' }, 'ollama'],
    [{ OLLAMA_BASE_URL: 'http://127.0.0.1:11434', OPENAI_API_KEY: 'k' }, 'openai'],
    [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, 'anthropic'],
    [{ ANTHROPIC_API_KEY: 'k', COUNTERSIGN_MODEL_PROVIDER: 'offline' }, 'offline'],
  ] as const)('CONF-03 with %o the model’s provider is %s', ([variables, provider]) => {
    const { model } = configOf(loadWith({}, variables))
    expect(model.provider).toBe(provider)
    expect(model.name).not.toBe('')
  })

  test('CONF-03 a base URL is kept as given and must be a URL', () => {
    const given = 'https://proxy.example/openai/v1/'
    expect(configOf(loadWith({}, { OPENAI_BASE_URL: given })).endpoints).toEqual({
      openaiBaseUrl: given,
    })
    expect(problemsOf(loadWith({}, { OPENAI_BASE_URL: 'proxy' }))).toMatchObject([
      { source: 'OPENAI_BASE_URL' },
    ])
  })

  test('CONF-03 Slack uses Socket Mode when there is an app token', () => {
    expect(configOf(loadWith({})).slack.mode).toBe('http')
    expect(configOf(loadWith({}, { SLACK_APP_TOKEN: 'xapp-1' })).slack.mode).toBe('socket')
  })

  test('BASH-01 the longest time-out is never below the usual one', () => {
    const { shell } = configOf(loadToml('[tools.shell]\ntimeout = 900')).tools
    expect(shell).toMatchObject({ timeoutMs: 900_000, maxTimeoutMs: 900_000 })
  })

  test('GATE-03 a command pattern without wildcard is looked for anywhere', () => {
    const toml = '[tools.shell]\nblocked_commands = ["sudo", "mkfs*"]'
    expect(configOf(loadToml(toml)).tools.shell.blockedCommands).toEqual(['*sudo*', 'mkfs*'])
  })

  test('GATE-03 an absent permissions section differs from an empty one', () => {
    expect(configOf(loadToml('')).tools.permissions).toBeUndefined()
    expect(configOf(loadToml('[tools.permissions]')).tools.permissions).toEqual({})
  })

  test('ERR-03 CONF-01 failures are tried twice more: 500 ms, at most 5 s, 30 s in all; the keys change that', () => {
    const usual = { maxAttempts: 2, baseMs: 500, maxMs: 5_000, budgetMs: 30_000 }
    expect(configOf(loadToml('')).tools.retry).toEqual(usual)
    const keys = 'max_attempts = 0\nbase_ms = 100\nmax_ms = 200\nbudget_secs = "1m"\n'
    expect(configOf(loadToml(`[tools.retry]\n${keys}`)).tools.retry).toEqual({
      ...{ maxAttempts: 0, baseMs: 100, maxMs: 200, budgetMs: 60_000 },
    })
  })

  test('CONF-01 real files are read, and the process’s own environment', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'config-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(path.join(folder, 'countersign.toml'), '[agent]\nmax_tool_iterations = 3\n')
    writeFileSync(path.join(folder, 'token'), ' 123:abcdefgh\n')
    const environment = new Environment({ TELEGRAM_BOT_TOKEN_FILE: 'token' })
    const config = configOf(loadConfig({ cwd: folder, environment }))
    expect(config.agent.maxToolIterations).toBe(3)
    expect(config.secrets.telegramBotToken?.reveal()).toBe('123:abcdefgh')
    expect(readEnvironment().path).toBeTruthy()
  })
})

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, '\\$&')
}
