import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { processStart } from '../../../src/db/embedded/launch-postmaster.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { silentLog } from '../../../src/util/log.ts'
import { kill9, started, startInChild } from './fixtures/postgres-in-child.ts'
import { countRows, writeRows } from './fixtures/rows.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'

const log = silentLog
const patience = { timeout: 40_000, interval: 20 }

test('STORE-01 INT-36 after kill -9 of the program the next start adopts its server, and stops it in the end', async () => {
  await using directory = await temporaryDirectory()
  const killed = startInChild({ dataDir: directory.path })
  const before = await started(killed)
  await writeRows(before.connection, 10)
  await kill9(killed)
  const postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  expect(postgres).toMatchObject({ pid: before.pid, owned: false, connection: before.connection })
  expect(await countRows(postgres.connection)).toBe(10)
  await postgres[Symbol.asyncDispose]()
  expect(await processStart(before.pid)).toBeUndefined()
  await expect(access(before.connection.host)).rejects.toThrow('ENOENT')
})

test('STORE-01 INT-36 an adopted server that dies is restarted as one of our own', async () => {
  await using directory = await temporaryDirectory()
  const killed = startInChild({ dataDir: directory.path })
  const before = await started(killed)
  await writeRows(before.connection, 10)
  await kill9(killed)
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  process.kill(before.pid, 'SIGKILL')
  await vi.waitFor(() => expect(postgres.owned).toBe(true), patience)
  expect(postgres.connection).toEqual(before.connection)
  expect(await countRows(postgres.connection)).toBe(10)
})

test('STORE-01 INT-36 after kill -9 of the program and its server at once every committed row is there', async () => {
  await using directory = await temporaryDirectory()
  const killed = startInChild({ dataDir: directory.path })
  const before = await started(killed)
  await writeRows(before.connection, 20_000)
  process.kill(before.pid, 'SIGKILL')
  await kill9(killed)
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  expect(postgres.pid).not.toBe(before.pid)
  expect(await countRows(postgres.connection)).toBe(20_000)
})

test('STORE-01 INT-36 a server whose socket was deleted is replaced', async () => {
  await using directory = await temporaryDirectory()
  const killed = startInChild({ dataDir: directory.path })
  const before = await started(killed)
  await writeRows(before.connection, 10)
  await kill9(killed)
  await rm(before.connection.host, { recursive: true })
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  expect(await processStart(before.pid)).toBeUndefined()
  expect(await countRows(postgres.connection)).toBe(10)
})

test('STORE-01 a program interrupted by Ctrl-C keeps its server until it stops the server itself', async () => {
  await using directory = await temporaryDirectory()
  await using program = startInChild({ dataDir: directory.path })
  const { pid, connection } = await started(program)
  process.kill(-(program.child.pid ?? Number.NaN), 'SIGINT')
  await writeRows(connection, 1)
  expect(await countRows(connection)).toBe(1)
  expect(await processGroup(pid)).not.toBe(await processGroup(program.child.pid ?? 0))
})

test('STORE-01 the server does not keep an otherwise idle program alive', async () => {
  await using directory = await temporaryDirectory()
  const program = startInChild({ dataDir: directory.path, afterwards: 'leave' })
  const { pid } = await started(program)
  await program.exited
  expect(program.child.exitCode).toBe(0)
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  expect(postgres.pid).toBe(pid)
})

test.each([
  ['the program', false],
  ['the program and initdb', true],
])('STORE-01 after kill -9 of %s during initdb the next start begins anew', async (_, all) => {
  await using directory = await temporaryDirectory()
  const killed = startInChild({ dataDir: directory.path })
  killed.answer.catch(() => undefined)
  await vi.waitFor(async () => expect(await unfinished(directory.path)).toHaveLength(1), patience)
  if (all) process.kill(-(killed.child.pid ?? Number.NaN), 'SIGKILL')
  await kill9(killed)
  await expect(access(join(directory.path, 'postgres'))).rejects.toThrow('ENOENT')
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  await writeRows(postgres.connection, 1)
  expect(await countRows(postgres.connection)).toBe(1)
})

test.each([
  ['belongs to another process now', String(process.pid)],
  ['is no number', 'x'],
  ['was never written', ''],
])(
  'STORE-01 a stale postmaster.pid with the process id %s does not prevent a start',
  async (_, pid) => {
    await using directory = await temporaryDirectory()
    const place = join(directory.path, 'postgres')
    {
      await using first = await startEmbeddedPostgres({ dataDir: directory.path, log })
      await writeRows(first.connection, 10)
    }
    const text = pid === '' ? '' : [pid, place, '1', '5432', '/tmp/nowhere', '', '', ''].join('\n')
    await writeFile(join(place, 'postmaster.pid'), text)
    await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
    expect(await countRows(postgres.connection)).toBe(10)
  },
)

async function unfinished(dataDir: string): Promise<readonly string[]> {
  const names = await readdir(dataDir)
  return names.filter((name) => name.includes('unfinished'))
}

/** Returns field 5 of proc(5)'s stat. */
async function processGroup(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]
}
