import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EmbeddedPostgresError } from '../../../src/db/embedded/errors.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/start-embedded-postgres.ts'
import { silentLog } from '../../../src/util/log.ts'
import { countRows, writeRows } from './fixtures/rows.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'

const log = silentLog

test('STORE-01 a directory that never became a database is moved aside, not deleted, and made again', async () => {
  await using directory = await temporaryDirectory()
  const place = join(directory.path, 'postgres')
  await mkdir(join(place, 'base'), { recursive: true, mode: 0o700 })
  await writeFile(join(place, 'PG_VERSION'), '18\n')
  await writeFile(join(place, 'base', 'something'), 'precious')
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  await writeRows(postgres.connection, 1)
  expect(await countRows(postgres.connection)).toBe(1)
  const aside = (await readdir(directory.path)).find((name) => name.includes('broken')) ?? ''
  expect(await readFile(join(directory.path, aside, 'base', 'something'), 'utf8')).toBe('precious')
})

test('STORE-01 unfinished directories of earlier starts are removed', async () => {
  await using directory = await temporaryDirectory()
  await mkdir(join(directory.path, 'postgres.unfinished-1', 'base'), { recursive: true })
  await using _ = await startEmbeddedPostgres({ dataDir: directory.path, log, durable: false })
  expect((await readdir(directory.path)).filter((name) => name.includes('unfinished'))).toEqual([])
})

test('STORE-01 a database of another major version is reported and left unchanged', async () => {
  await using directory = await temporaryDirectory()
  await using first = await startEmbeddedPostgres({ dataDir: directory.path, log, durable: false })
  await first[Symbol.asyncDispose]()
  const file = join(directory.path, 'postgres', 'PG_VERSION')
  await writeFile(file, '15\n')
  const start = startEmbeddedPostgres({ dataDir: directory.path, log })
  await expect(start).rejects.toThrow(EmbeddedPostgresError)
  await expect(start).rejects.toThrow(/made by PostgreSQL 15, this is \d+/)
  expect(await readFile(file, 'utf8')).toBe('15\n')
})

test('STORE-01 a server that cannot start says why, and a later start works', async () => {
  await using directory = await temporaryDirectory()
  {
    await using _ = await startEmbeddedPostgres({ dataDir: directory.path, log, durable: false })
  }
  const file = join(directory.path, 'postgres', 'postgresql.auto.conf')
  await writeFile(file, 'no_such_setting = 1\n')
  await expect(startEmbeddedPostgres({ dataDir: directory.path, log })).rejects.toThrow(
    /did not start.*no_such_setting/s,
  )
  await rm(file)
  await writeFile(file, '')
  await using postgres = await startEmbeddedPostgres({ dataDir: directory.path, log })
  expect(postgres.owned).toBe(true)
})
