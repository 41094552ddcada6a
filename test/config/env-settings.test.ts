import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { keyKinds } from '../../src/config/key-types.ts'
import { externalVariableNames } from '../../src/config/outside-names.ts'
import { settingsSchema } from '../../src/config/schema/schema.ts'
import { type Key, keysOf, sectionOf, variableOf } from '../../src/config/shape.ts'
import { configOf, loadToml, loadWith, problemsOf } from './support.ts'

const keys = keysOf(sectionOf(settingsSchema))

describe('CONF-01 variables set every key', () => {
  test('CONF-01 the variables’ names are unique, also beside those of the outside world', () => {
    const names = [...keys.map((key) => variableOf(key.path)), ...externalVariableNames()]
    expect(new Set(names).size).toBe(names.length)
    expect(keys.length).toBeGreaterThan(100)
  })

  test.for(keys.map((key) => [variableOf(key.path), key] as const))(
    'CONF-01 %s sets its key',
    ([variable, key]) => {
      const [text, loaded] = sampleOf(key)
      const result = loadWith({}, { ...needs[variable], [variable]: text })
      expect(at(configOf(result), key)).toEqual(loaded)
    },
  )

  test('CONF-01 a variable wins over the file', () => {
    const file = '[agent]\nmax_tool_iterations = 7\nconcurrency = 9'
    const { agent } = configOf(loadToml(file, { COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS: '5' }))
    expect(agent).toMatchObject({ maxToolIterations: 5, concurrency: 9 })
  })

  test('CONF-03 an empty variable is unset', () => {
    const variables = {
      COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS: '',
      COUNTERSIGN_NOTHING: '',
      DATABASE_URL: '',
    }
    const config = configOf(loadWith({}, variables))
    expect(config.agent.maxToolIterations).toBe(10)
    expect(config.databaseUrl).toBeUndefined()
  })

  test('CONF-03 lists are comma-separated, with JSON for entries that hold commas', () => {
    const config = configOf(
      loadWith(
        {},
        {
          COUNTERSIGN_TELEGRAM_ALLOWED_USERS: '42, 43,@ada,',
          COUNTERSIGN_TOOLS_FILTERS_SECURITY_EXTRA_PATTERNS: '["x{1,3}", "y"]',
          COUNTERSIGN_TOOLS_SCRAPE_ALLOWED_PORTS: '443,8443',
          COUNTERSIGN_TOOLS_FILE_DENY_READ: '[a-c]*,/x',
        },
      ),
    )
    expect(config.telegram.allowedUsers).toEqual(['42', '43', 'ada'])
    expect(config.tools.filters.security.extraPatterns).toEqual(['x{1,3}', 'y'])
    expect(config.tools.scrape.allowedPorts).toEqual([443, 8443])
    expect(config.tools.file.denyRead).toEqual(['[a-c]*', '/x'])
  })

  test('CONF-01 tables and lists of tables are JSON in variables', () => {
    const config = configOf(
      loadToml('[[tools.permissions.read]]\npattern = "*"\naction = "allow"', {
        COUNTERSIGN_TOOLS_PERMISSIONS: '{"bash":[{"pattern":"*","action":"deny"}]}',
        COUNTERSIGN_TOOLS_POLICY_RULES: '[{"effect":"deny","tool":"bash"}]',
      }),
    )
    expect(config.tools.permissions).toEqual({ bash: [{ pattern: '*', action: 'deny' }] })
    expect(config.tools.policy.rules).toMatchObject([{ effect: 'deny', tool: 'bash' }])
  })

  test.for([
    ['COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS', 'five', 'expected a number'],
    ['COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS', '0x10', 'expected a number'],
    ['COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS', ' 5', 'expected a number'],
    ['COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS', '1.5', 'expected a whole number from 1'],
    ['COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS', '0', 'expected a whole number from 1'],
    ['COUNTERSIGN_TOOLS_ENABLED', 'yes', 'expected true or false'],
    ['COUNTERSIGN_TOOLS_ENABLED', 'TRUE', 'expected true or false'],
    ['COUNTERSIGN_TOOLS_SHELL_TIMEOUT', 'soon', 'expected seconds'],
    ['COUNTERSIGN_TOOLS_SHELL_TIMEOUT', '-1', 'expected seconds'],
    ['COUNTERSIGN_SANDBOX_DRIVER', 'dokcer', 'did you mean "docker"?'],
    ['COUNTERSIGN_TOOLS_SCRAPE_ALLOWED_PORTS', '443,https', 'expected a number'],
    ['COUNTERSIGN_TOOLS_PERMISSIONS', 'bash', 'expected a table as JSON'],
    ['COUNTERSIGN_TOOLS_PERMISSIONS', '[]', 'expected a table, found a list'],
    ['COUNTERSIGN_TOOLS_POLICY_RULES', 'deny', 'expected a list as JSON'],
    [
      'COUNTERSIGN_AGENT_MAX_TOOL_ITERATION',
      '5',
      'did you mean COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS?',
    ],
    ['COUNTERSIGN_CONFIGURATION', 'x', 'there is no such variable'],
    ['COUNTERSIGN_TELEGRAM_BOT_TOKEN', 'x', 'did you mean TELEGRAM_BOT_TOKEN?'],
  ] as const)('CONF-02 %s=%s is refused: %s', ([variable, text, words]) => {
    expect(problemsOf(loadWith({}, { [variable]: text }))).toMatchObject([
      { source: variable, message: expect.stringContaining(words) },
    ])
  })
})

/** What another key must say so that a sample makes sense. */
const needs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  COUNTERSIGN_MODEL_FALLBACK: { COUNTERSIGN_MODELS: '{"sample":{"provider":"offline"}}' },
  COUNTERSIGN_APPROVAL_ROUTE: { COUNTERSIGN_APPROVAL_CHANNEL: 'telegram:1' },
}

/** A value that is not the default, as a variable says it and as it is loaded. */
function sampleOf(key: Key): readonly [text: string, loaded: unknown] {
  const { type } = key
  const special = samples[key.path.join('.')]
  if (special) return special
  if (keyKinds.get(type)?.kind === 'duration') return ['59s', 59_000]
  if (keyKinds.get(type)?.kind === 'host_path') return ['some/where', '/srv/bot/some/where']
  if (type instanceof z.ZodNumber) return numberSample(type, key.fallback)
  if (type instanceof z.ZodBoolean) return [String(!key.fallback), !key.fallback]
  if (type instanceof z.ZodEnum) {
    const option = type.options.find((other) => other !== key.fallback)
    return [String(option), option]
  }
  if (type instanceof z.ZodRecord) return ['{}', {}]
  if (!(type instanceof z.ZodArray)) return ['sample', 'sample']
  const element = type.element as z.ZodType
  if (element instanceof z.ZodObject) return ['[]', []]
  const isPath = keyKinds.get(element)?.kind === 'host_path'
  return ['one,two', isPath ? ['/srv/bot/one', '/srv/bot/two'] : ['one', 'two']]
}

const samples: Readonly<Record<string, readonly [string, unknown]>> = {
  'chat.time_zone': ['Asia/Tokyo', 'Asia/Tokyo'],
  'tools.shell.max_timeout': ['1h', 3_600_000],
  'tools.shell.blocked_commands': ['sudo,rm *', ['*sudo*', 'rm *']],
  'tools.shell.confirm_patterns': ['sudo,rm *', ['*sudo*', 'rm *']],
  'tools.tafc.complexity_threshold': ['0.4', 0.4],
  'tools.adversarial_policy.timeout': ['59s', 59_000],
  'tools.scrape.allowed_ports': ['1,2', [1, 2]],
  'telegram.webhook_url': ['https://bot.example/hook', 'https://bot.example/hook'],
  'http.listen': ['[::1]:0', '[::1]:0'],
  'http.public_url': ['https://bot.example', 'https://bot.example'],
  'logging.otlp_endpoint': ['http://otel:4318', 'http://otel:4318'],
}

function numberSample(type: z.ZodNumber, fallback: unknown): readonly [string, unknown] {
  const smallest = type.minValue ?? 0
  const value = smallest === fallback ? smallest + 1 : smallest
  return [String(value), value]
}

function at(config: object, { path, type }: Key): unknown {
  const names = path.map((name, index) => {
    const isDuration = index === path.length - 1 && keyKinds.get(type)?.kind === 'duration'
    const camel = name
      .replace(isDuration ? /_secs$/u : /$^/u, '')
      .replaceAll(/_(.)/gu, (_all, letter: string) => letter.toUpperCase())
    return isDuration ? `${camel}Ms` : camel
  })
  return names.reduce<unknown>((value, name) => Reflect.get(value as object, name), config)
}
