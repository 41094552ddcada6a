import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { compileCache } from '../support/database/compile-cache.ts'
import { createEmptyDatabase } from '../support/database/database.ts'
import { describeWithRedis } from '../support/database/describe-with-redis.ts'
import { startRedis } from '../support/database/redis.ts'
import { mainProgram } from '../support/run/programs.ts'

let dataDir = ''

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-start-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** The real program, as a shell would run it with lines piped in. */
function run(
  words: readonly string[],
  lines: readonly string[] = [],
  environment = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [mainProgram, ...words], {
    env: {
      ...compileCache,
      PATH: process.env['PATH'],
      USER: 'ada',
      HOME: dataDir,
      COUNTERSIGN_DATA_DIR: dataDir,
      ...environment,
    },
    cwd: dataDir,
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}

/** What a command wrote in the one workspace of a data directory where it ran. */
async function countOf(place: string): Promise<string> {
  const [workspace = ''] = await readdir(join(place, 'workspaces'))
  return await readFile(join(place, 'workspaces', workspace, 'count'), 'utf8')
}

/** The same at a terminal of its own; what is printed is collected until it is asked to leave. */
function runAtTerminal(words: readonly string[], environment = {}) {
  const command = [process.execPath, mainProgram, ...words].join(' ')
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: {
      ...compileCache,
      PATH: process.env['PATH'],
      USER: 'ada',
      HOME: dataDir,
      TERM: 'xterm',
      COUNTERSIGN_DATA_DIR: dataDir,
      ...environment,
    },
    cwd: dataDir,
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return {
    ended,
    type: (text: string) => child.stdin.write(text),
    shows: (words: string | RegExp) =>
      vi.waitFor(() => expect(stripVTControlCharacters(output)).toMatch(words), {
        timeout: 90_000,
        interval: 100,
      }),
  }
}

describe('npm start, with lines piped in', () => {
  test('TERM-01 MODEL-03 STORE-01 a new place: list, write, run, approve; the answer holds the output', async () => {
    const { code, output } = await run(
      ['start'],
      [
        'list the files here',
        'write notes.txt saying hello',
        'run the command: wc -c notes.txt',
        '/approve',
      ],
    )
    expect(output).toContain('Wrote 5 bytes to notes.txt')
    expect(output).toMatch(/❯ ada's agent wants to run a command[\s\S]*wc -c notes\.txt/)
    expect(output).toMatch(/Approved by ada[\s\S]*exit 0[\s\S]*5 notes\.txt/)
    expect(code).toBe(0)
  })

  test('TERM-02 AUD-04 the terminal goes through store, gate, queue and worker: every call is audited with its caller', async () => {
    const { code, output } = await run(['audit', '--json'])
    expect(code).toBe(0)
    const rows = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map((row) => `${row.tool} ${row.kind}`)).toEqual([
      'list_directory decided',
      'list_directory settled',
      'write decided',
      'write settled',
      'bash decided',
      'bash settled',
    ])
    expect(new Set(rows.map((row) => row.caller_id))).toEqual(new Set(['console:ada']))
    expect(rows.at(-1)).toMatchObject({ result: 'success', exit_code: 0 })
    expect((await run(['audit', 'verify'])).output).toMatch(/^ok: 6 rows in 1 chains, [1-9]/)
  })

  test('TERM-01 APPR-01 at the end of input a question still waits: exit 3, and the next start answers it', async () => {
    const first = await run(['start'], ['run the command: echo later'])
    expect(first.code).toBe(3)
    expect(first.output).toMatch(/Still waiting for an answer[\s\S]*2 {2}bash/)
    const second = await run(['start'], ['/approve'])
    expect(second.output).toMatch(/exit 0[\s\S]*later/)
    expect(second.code).toBe(0)
  })

  test('STORE-03 REL-01 a question that waits is answered after backup and restore, embedded and by DATABASE_URL, and runs once', async () => {
    expect((await run(['start'], ['run the command: echo once >> count'])).code).toBe(3)
    const file = join(dataDir, 'backup.tar.gz')
    expect((await run(['backup', file])).output).toMatch(/^\d+ rows and \d+ files in /)
    await using database = await createEmptyDatabase()
    for (const [name, environment] of [
      ['embedded', {}],
      ['given', { DATABASE_URL: database.url }],
    ] as const) {
      const place = join(dataDir, `restored-${name}`)
      const there = { ...environment, COUNTERSIGN_DATA_DIR: place }
      const restored = await run(['restore', file], [], there)
      expect(restored.output).toMatch(
        /^restored the backup of .+: 0 turns stopped, \d+ rows of the audit hold/,
      )
      const answered = await run(['start'], ['/approve'], there)
      expect(answered.output).toMatch(/exit 0/)
      expect((await run(['audit', 'verify'], [], there)).output).toMatch(/^ok: /)
      expect(await countOf(place)).toBe('once\n')
    }
    await run(['start'], ['/deny'])
  })

  test('CONF-02 a configuration that is wrong stops the start with every error at once', async () => {
    const { code, output } = await run(['start'], [], {
      COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS: 'many',
      COUNTERSIGN_TOOLS_SHELL_TIMEOT: '3',
    })
    expect(code).toBe(2)
    expect(output).toContain('COUNTERSIGN_AGENT_MAX_TOOL_ITERATIONS')
    expect(output).toContain('COUNTERSIGN_TOOLS_SHELL_TIMEOUT')
  })

  test('THREAT-5 a secret that could be guessed stops the start, and is not shown', async () => {
    const { code, output } = await run(['start'], [], {
      COUNTERSIGN_ENROLMENT_SECRET: 'x'.repeat(31),
    })
    expect(code).toBe(2)
    expect(output).toContain('COUNTERSIGN_ENROLMENT_SECRET is shorter than 32 characters')
    expect(output).not.toContain('xxxx')
  })

  test('GATE-10 rules that allow everything are warned of at every start, and nothing asks', async () => {
    const { writeFile } = await import('node:fs/promises')
    await writeFile(join(dataDir, 'workers/default/permissions.jsonc'), '{"*": "allow"}')
    const { code, output } = await run(['start'], ['run the command: echo $((a=2)) > two; cat two'])
    expect(output).toContain('allow everything; nothing asks')
    expect(output).not.toContain('asks for ada')
    expect(output).toMatch(/^2$/m)
    expect(code).toBe(0)
  })

  test('CONF-02 OUT-08 a model key never reaches the log, the database or the output', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
    const { output } = await run(['start'], ['hello'], {
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      COUNTERSIGN_MODEL_RETRY_BUDGET: '0',
    })
    expect(output).toContain('This did not work')
    expect(output).not.toContain(key)
    expect(await readFile(join(dataDir, 'countersign.log'), 'utf8')).not.toContain(key)
  })
})

describe('npm start, exit codes that scripts can use', () => {
  const place = () => ({ COUNTERSIGN_DATA_DIR: join(dataDir, 'codes') })

  test('TERM-01 CLI-01 a turn that failed in a pipe ends it with 1, a later start without one with 0', async () => {
    const failing = await run(['start'], ['hello'], {
      ...place(),
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      COUNTERSIGN_MODEL_RETRY_BUDGET: '0',
    })
    expect([failing.code, failing.output]).toEqual([
      1,
      expect.stringContaining('This did not work'),
    ])
    expect((await run(['start'], ['hello'], place())).code).toBe(0)
  })

  test('CLI-01 MODEL-04 a provider without its key is a matter of the configuration: 2', async () => {
    const { code, output } = await run(['start'], ['hello'], {
      ...place(),
      COUNTERSIGN_MODEL_PROVIDER: 'anthropic',
    })
    expect(output).toContain('There is no key for Anthropic. Set ANTHROPIC_API_KEY.')
    expect(code).toBe(2)
  })

  test.each([
    ['is missing', 'undefined', /--workspace undefined does not exist/],
    ['is a file', 'a-file', /--workspace a-file is not a directory/],
    ['is empty', '', /--workspace is empty/],
  ])(
    'CLI-01 BOX-07 a --workspace that %s is refused before anything is made',
    async (_what, name, words) => {
      const { writeFile } = await import('node:fs/promises')
      await writeFile(join(dataDir, 'a-file'), '')
      const untouched = join(dataDir, 'untouched')
      const { code, output } = await run(['start', '--workspace', name], ['hello'], {
        COUNTERSIGN_DATA_DIR: untouched,
        // Wrong as well, and not told: the workspace comes first.
        COUNTERSIGN_LOGGING_LEVEL: 'loud',
      })
      expect(output).toMatch(words)
      expect(output).not.toContain('COUNTERSIGN_LOGGING_LEVEL')
      expect(code).toBe(2)
      expect(existsSync(untouched)).toBe(false)
    },
  )

  test('CLI-01 a named address that is taken stops a service', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { code, output } = await run(['start'], [], {
      ...place(),
      TELEGRAM_BOT_TOKEN: '1:x',
      TELEGRAM_API_ROOT: 'http://127.0.0.1:1',
      COUNTERSIGN_HTTP_LISTEN: `127.0.0.1:${port}`,
    })
    taken.close()
    expect(output).toContain(`the address 127.0.0.1:${port} of [http] listen is taken`)
    expect(code).toBe(1)
  })
})

describeWithRedis('npm start, with a Redis', () => {
  test('STORE-02 STORE-04 the same conversation with the queue in Redis', async () => {
    await using redis = await startRedis()
    const place = await mkdtemp(join(tmpdir(), 'countersign-start-redis-'))
    try {
      const { code, output } = await run(
        ['start'],
        ['write notes.txt saying hello', 'run the command: wc -c notes.txt', '/approve'],
        { COUNTERSIGN_DATA_DIR: place, REDIS_URL: redis.url },
      )
      expect(output).toContain('Wrote 5 bytes to notes.txt')
      expect(output).toMatch(/Approved by ada[\s\S]*exit 0[\s\S]*5 notes\.txt/)
      expect(output).not.toContain(redis.password)
      expect(code).toBe(0)
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  }, 120_000)
})

describe('npm start, at a terminal', () => {
  test('REL-01 APPR-09 TERM-01 a question that waited through a restart is shown again, and a letter answers it', async () => {
    const place = { COUNTERSIGN_DATA_DIR: join(dataDir, 'terminal') }
    const { code } = await run(['start'], ['run the command: rm -rf build'], place)
    expect(code).toBe(3)
    const terminal = runAtTerminal(['start'], place)
    await terminal.shows(/ada's agent wants to run a command[\s\S]*rm -rf build[\s\S]*y approve/)
    await sleep(1_000)
    terminal.type('y\r')
    await terminal.shows(/1 · rm -rf build: ✅ Approved by ada.* → exit 0/)
    terminal.type('\u0004')
    expect(await terminal.ended).toBe(0)
  })
})
