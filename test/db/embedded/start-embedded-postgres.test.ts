import { access, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { connectRunning } from '../../../src/db/embedded/connect-running.ts'
import { DataDirectoryInUse } from '../../../src/db/embedded/errors.ts'
import { processStart } from '../../../src/db/embedded/launch-postmaster.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { silentLog } from '../../../src/util/log.ts'
import { started, startInChild } from './fixtures/postgres-in-child.ts'
import { countRows, writeRows } from './fixtures/rows.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'

const log = silentLog

test('STORE-01 starts from an empty directory, by a private socket only, and stops without a trace', async () => {
  await using directory = await temporaryDirectory()
  const dataDir = join(directory.path, 'not', 'there', 'yet')
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  const { connection, pid } = postgres
  expect(postgres.owned).toBe(true)
  expect(await setting(postgres.url, 'listen_addresses')).toBe('')
  expect(await setting(postgres.url, 'fsync')).toBe('on')
  expect(await setting(postgres.url, 'server_encoding')).toBe('UTF8')
  expect(await mode(connection.host)).toBe(0o700)
  expect(await mode(dataDir)).toBe(0o700)
  await postgres[Symbol.asyncDispose]()
  expect(await processStart(pid)).toBeUndefined()
  await expect(access(connection.host)).rejects.toThrow('ENOENT')
  expect(await readdir(dataDir)).toEqual(expect.not.arrayContaining(['run.json', 'lock']))
})

test('STORE-01 rows survive a restart', async () => {
  await using directory = await temporaryDirectory()
  {
    await using first = await startEmbeddedPostgres({ dataDir: directory.path, log })
    await writeRows(first.connection, 10)
  }
  await using second = await startEmbeddedPostgres({ dataDir: directory.path, log })
  expect(second.owned).toBe(true)
  expect(await countRows(second.connection)).toBe(10)
})

test('STORE-01 INT-36 a second start on the same data directory is refused and names the process that holds it', async () => {
  await using directory = await temporaryDirectory()
  await using first = startInChild({ dataDir: directory.path })
  await started(first)
  const second = startEmbeddedPostgres({ dataDir: directory.path, log })
  await expect(second).rejects.toThrow(DataDirectoryInUse)
  await expect(second).rejects.toMatchObject({ pid: first.child.pid })
})

test('STORE-01 a refused start does not disturb the running one', async () => {
  await using directory = await temporaryDirectory()
  await using first = await startEmbeddedPostgres({ dataDir: directory.path, log })
  await expect(startEmbeddedPostgres({ dataDir: directory.path, log })).rejects.toThrow('in use')
  expect(await connectRunning(directory.path)).toEqual(first.connection)
})

test('STORE-01 a server that dies is restarted at the same socket with every committed row', async () => {
  await using directory = await temporaryDirectory()
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  const { connection, pid } = postgres
  await writeRows(connection, 20_000)
  process.kill(pid, 'SIGKILL')
  await vi.waitFor(() => expect(postgres.pid).not.toBe(pid), patience)
  expect(postgres.connection).toEqual(connection)
  expect(await countRows(connection)).toBe(20_000)
})

test('STORE-01 a database whose files vanish under a running server is not replaced by an empty one', async () => {
  await using directory = await temporaryDirectory()
  const error = vi.fn()
  await using postgres = await startEmbeddedPostgres({
    dataDir: directory.path,
    log: { ...log, error },
  })
  await rm(join(directory.path, 'postgres'), { recursive: true })
  process.kill(postgres.pid, 'SIGKILL')
  const complaint = [expect.anything(), 'failed to restart PostgreSQL']
  await vi.waitFor(() => expect(error.mock.calls).toContainEqual(complaint), patience)
  expect(await readdir(directory.path)).not.toContain('postgres')
})

test('STORE-01 stopping during a restart leaves nothing running', async () => {
  await using directory = await temporaryDirectory()
  const postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  process.kill(postgres.pid, 'SIGKILL')
  await postgres[Symbol.asyncDispose]()
  expect(await processStart(postgres.pid)).toBeUndefined()
  expect(await connectRunning(directory.path)).toBeUndefined()
})

test('STORE-01 a socket directory with a path that is too long is replaced by one in /tmp', async () => {
  await using directory = await temporaryDirectory()
  const runtimeDir = join(directory.path, 'ä'.repeat(50))
  await mkdir(runtimeDir)
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, runtimeDir, log })
  expect(postgres.connection.host).toMatch(/^\/tmp\/countersign-/)
})

test('STORE-01 the socket is created in the runtime directory if there is one', async () => {
  await using directory = await temporaryDirectory()
  const runtimeDir = join(directory.path, 'run')
  await mkdir(runtimeDir)
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, runtimeDir, log })
  expect(postgres.connection.host.startsWith(runtimeDir)).toBe(true)
  expect(await countRows(await withRows(postgres.connection))).toBe(1)
})

test('STORE-01 commands find the running server, and none when it has stopped', async () => {
  await using directory = await temporaryDirectory()
  expect(await connectRunning(directory.path)).toBeUndefined()
  const postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  expect(await connectRunning(directory.path)).toEqual(postgres.connection)
  const run = JSON.stringify({ pid: postgres.pid, mode: 'plain', connection: postgres.connection })
  await postgres[Symbol.asyncDispose]()
  await writeFile(join(directory.path, 'run.json'), run)
  expect(await connectRunning(directory.path)).toBeUndefined()
})

test.each(['', 'no json', '{"pid":"1"}', '[]'])(
  'STORE-01 a run.json containing %j is ignored',
  async (text) => {
    await using directory = await temporaryDirectory()
    await writeFile(join(directory.path, 'run.json'), text)
    expect(await connectRunning(directory.path)).toBeUndefined()
  },
)

const patience = { timeout: 40_000, interval: 50 }

async function setting(url: string, name: string): Promise<string | undefined> {
  await using database = openDatabase({ url })
  const { rows } = await database.pool.query<{ value: string }>(
    'select current_setting($1) as value',
    [name],
  )
  return rows[0]?.value
}

async function mode(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

async function withRows<C extends Parameters<typeof writeRows>[0]>(connection: C): Promise<C> {
  await writeRows(connection, 1)
  return connection
}
