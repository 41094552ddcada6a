import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { newId } from '../../../src/util/ids.ts'
import {
  type temporaryDirectory as Directory,
  temporaryDirectory,
} from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { recordedSession } from '../gate/recorded-calls.ts'
import { type Ended, runProgram, startProgram, toDatabaseUrl } from '../run-program.ts'

let directory: Awaited<ReturnType<typeof Directory>>
let database: TestDatabase
let session: ReturnType<typeof recordedSession>

beforeAll(async () => {
  directory = await temporaryDirectory()
  database = await createTestDatabase()
  session = recordedSession(database.db)
  await session.call({ caller_id: 'telegram:7', tool: 'read', arguments: '{"path":"a,b \\"c\\""}' })
  await session.call({ verdict: 'ask', decided_by: 'telegram:8', exit_code: 3, result: 'error' })
  await session.call({ verdict: 'deny', result: 'blocked', duration_ms: 72_000 })
  await recordedSession(database.db).call({ tool: 'grep', arguments: '=cmd|"/c calc"!A1' })
  await session.row({ kind: 'command', note: '/clear\u001b[2J\nnext' })
})

afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

function place() {
  const environment = { DATABASE_URL: toDatabaseUrl(database.connection) }
  return { cwd: directory.path, environment }
}

function audit(...args: readonly string[]): Promise<Ended> {
  return runProgram(['audit', ...args], place())
}

async function tableOf(...args: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await audit(...args)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout.split('\n').slice(0, -1)
}

describe('the table', () => {
  test('AUD-04 audit shows one aligned line a call, the oldest first', async () => {
    const [headings = '', ...lines] = await tableOf()
    expect(headings.split(/ {2,}/)).toEqual([
      'TIME',
      'CALLER',
      'TOOL',
      'VERDICT',
      'RESULT',
      'EXIT',
      'DURATION',
      'DECIDED BY',
      'ARGUMENTS',
    ])
    const columnAt = (name: string) => lines.map((line) => line.slice(headings.indexOf(name)))
    expect(columnAt('TOOL').map((text) => text.split(' ')[0])).toEqual([
      'read',
      'bash',
      'bash',
      'grep',
      '(command)',
    ])
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}telegram:7 /)
    expect(columnAt('VERDICT')[1]).toMatch(/^ask +error +3 +12ms +telegram:8 +\{"command":"ls"\}$/)
    expect(columnAt('VERDICT')[2]).toMatch(/^deny +blocked +0 +1m12s +\{"command":"ls"\}$/)
    expect(columnAt('ARGUMENTS')[0]).toBe('{"path":"a,b \\"c\\""}')
  })

  test('AUD-04 no control character of a row reaches the terminal', async () => {
    for (const form of [[], ['--csv'], ['--json']]) {
      const { stdout } = await audit(...form)
      expect(stdout).toContain('/clear')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\0-\u001f\u007f-\u009f]/)
    }
    expect((await audit()).stdout).toContain('/clear␛[2J␊next')
  })

  test('AUD-04 a call that has not ended yet is shown without a result, one of several attempts with its last', async () => {
    await using own = await createTestDatabase()
    const { row } = recordedSession(own.db)
    const environment = { DATABASE_URL: toDatabaseUrl(own.connection) }
    const call_id = newId()
    await row({ kind: 'decided', call_id, verdict: 'ask', attempt: 1 })
    await row({ kind: 'decided', call_id, verdict: 'allow', attempt: 2 })
    const run = () => runProgram(['audit'], { cwd: directory.path, environment })
    expect((await run()).stdout).toMatch(/bash +allow\n$/)
    await row({ kind: 'settled', call_id, result: 'timeout' })
    await row({ kind: 'late_result', call_id, result: 'success' })
    expect((await run()).stdout).toMatch(/bash +allow +timeout\n$/)
  })
})

test('ERR-03 AUD-04 how often a call was tried is shown in every form', async () => {
  await using own = await createTestDatabase()
  const { row } = recordedSession(own.db)
  const environment = { DATABASE_URL: toDatabaseUrl(own.connection) }
  const run = async (...args: readonly string[]) =>
    (await runProgram(['audit', ...args], { cwd: directory.path, environment })).stdout
  for (const tries of [1, 3]) {
    const call_id = newId()
    await row({ kind: 'decided', call_id, tool: 'fetch', verdict: 'allow' })
    await row({ kind: 'hop', call_id, tool: 'fetch', status: 503, try: 2 })
    await row({ kind: 'settled', call_id, tool: 'fetch', result: 'error', tries })
  }
  const [, once, often] = (await run()).split('\n')
  expect(once).toMatch(/allow +error$/)
  expect(often).toMatch(/allow +error \(3 tries\)$/)
  const json = (await run('--json')).trim().split('\n')
  expect(json.map((line) => JSON.parse(line)).filter(({ tries }) => tries === 3)).toMatchObject([
    { kind: 'settled' },
  ])
  const [header = '', , last = ''] = (await run('--csv')).split('\n')
  expect(last.split(',')[header.split(',').indexOf('tries')]).toBe('3')
})

describe('filters', () => {
  test.each([
    [['--caller', 'telegram:7'], ['read']],
    [['--tool', 'grep'], ['grep']],
    [['--verdict', 'deny'], ['bash']],
    [['--verdict', 'ask', '--tool', 'bash'], ['bash']],
    [
      ['--limit', '2'],
      ['grep', '(command)'],
    ],
    [['--since', '1h', '--tool', 'read'], ['read']],
    [['--since', '2999-01-01'], []],
    [['--caller', "x' or '1'='1"], []],
  ])('AUD-04 audit %j shows the matching calls with all rows', async (args, tools) => {
    const [headings = '', ...lines] = await tableOf(...args)
    const at = headings.indexOf('TOOL')
    expect(lines.map((line) => line.slice(at).split(' ')[0])).toEqual(tools)
    if (args[0] === '--verdict') expect(lines[0]).toContain(args[1] === 'ask' ? 'error' : 'blocked')
  })

  test('AUD-04 --session shows one session', async () => {
    const { stdout } = await audit('--session', session.id, '--json')
    const sessions = jsonLines(stdout).map((line) => line['session_id'])
    expect(new Set(sessions)).toEqual(new Set([session.id]))
    expect(sessions).toHaveLength(7)
  })

  test('AUD-04 --limit counts calls even if many rows lie between them', async () => {
    await using own = await createTestDatabase()
    const { row, call } = recordedSession(own.db)
    const first = await call()
    for (let count = 0; count < 1010; count += 1) await row({ kind: 'late_result', call_id: first })
    await call({ tool: 'grep' })
    const environment = { DATABASE_URL: toDatabaseUrl(own.connection) }
    const { stdout } = await runProgram(['audit', '--limit', '5'], {
      cwd: directory.path,
      environment,
    })
    expect(stdout.split('\n')).toHaveLength(4)
    expect(stdout).toMatch(/bash.*\n.*grep.*\n$/)
  })
})

describe('JSON lines', () => {
  test('AUD-01 audit --json prints the stored rows, absent fields left out', async () => {
    const lines = jsonLines((await audit('--json')).stdout)
    expect(lines).toHaveLength(9)
    expect(lines[0]).toEqual({
      at: expect.stringMatching(/Z$/),
      kind: 'decided',
      chain: session.id,
      session_id: session.id,
      turn_id: expect.any(String),
      call_id: expect.any(String),
      tool: 'read',
      caller_id: 'telegram:7',
      verdict: 'allow',
      arguments: '{"path":"a,b \\"c\\""}',
    })
    expect(lines[1]).toMatchObject({ kind: 'settled', exit_code: 0, duration_ms: 12 })
    expect(lines[1]).not.toHaveProperty('verdict')
    expect(lines[8]).toMatchObject({ note: '/clear\u001b[2J\nnext' })
  })
})

describe('CSV', () => {
  test('AUD-04 audit --csv prints one line a call, quoted where commas and quotes are', async () => {
    const [header = '', first = '', second = ''] = (await audit('--csv')).stdout.split('\n')
    expect(header).toMatch(/^at,caller_id,tool,verdict,result,exit_code,duration_ms,decided_by,/)
    expect(first).toContain('"{""path"":""a,b \\""c\\""""}"')
    expect(second).toMatch(/,console:ada,bash,ask,error,3,12,telegram:8,approved,/)
    expect(second.split(',')).toHaveLength(header.split(',').length)
  })

  test('AUD-04 text that a spreadsheet would execute stays text', async () => {
    const { stdout } = await audit('--csv', '--tool', 'grep')
    expect(stdout).toContain(`"'=cmd|""/c calc""!A1"`)
  })
})

describe('follow', () => {
  test('AUD-04 --follow shows what comes, each call once when it has ended, until Ctrl-C', async () => {
    const program = startProgram(['audit', '--follow', '--caller', 'slack:new'], place())
    const json = startProgram(['audit', '--follow', '--json', '--caller', 'slack:new'], place())
    const caller_id = 'slack:new'
    const call_id = newId()
    await session.row({ kind: 'decided', call_id, caller_id, verdict: 'allow', tool: 'edit' })
    await vi.waitFor(() => expect(json.stdout()).toContain('"decided"'), { timeout: 30_000 })
    await session.call({ caller_id: 'slack:other', tool: 'write' })
    await session.row({ kind: 'settled', call_id, caller_id, result: 'success', tool: 'edit' })
    await vi.waitFor(() => expect(program.stdout()).toContain('success'), { timeout: 30_000 })
    await vi.waitFor(() => expect(json.stdout()).toContain('"settled"'), { timeout: 30_000 })
    program.child.kill('SIGINT')
    json.child.kill('SIGTERM')
    const table = await program.ended
    expect({ exitCode: table.exitCode, stderr: table.stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(table.stdout.match(/allow +success/g)).toHaveLength(1)
    expect(table.stdout).not.toContain('slack:other')
    const rows = jsonLines((await json.ended).stdout)
    expect(rows.map((row) => row['kind'])).toEqual(['decided', 'settled'])
  })
})

test('CLI-01 a reader that stops reading, as head does, is no error', async () => {
  const program = startProgram(['audit', '--json'], place())
  program.child.stdout?.destroy()
  const { exitCode, stderr } = await program.ended
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})

function jsonLines(text: string): readonly Record<string, unknown>[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)))
}
