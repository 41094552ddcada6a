import fs from 'node:fs'
import {
  access,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { recordWorkspace } from '../../../../src/cli/setup/backup/served-workspaces.ts'
import { Secret } from '../../../../src/config/secrets.ts'
import { inOneTransaction } from '../../../../src/db/backup/one-transaction.ts'
import { holdRestores, recordRestore } from '../../../../src/db/backup/unfinished-restore.ts'
import { openDatabase } from '../../../../src/db/database.ts'
import { migrateToLatest } from '../../../../src/db/migrate.ts'
import type { Db, Schema } from '../../../../src/db/schema.ts'
import { generateKeyPair } from '../../../../src/rules/jobs/keys.ts'
import { temporaryDirectory } from '../../../db/embedded/fixtures/temporary-directory.ts'
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../../support/database/database.ts'
import { runProgram, startProgram, toDatabaseUrl } from '../../run-program.ts'
import { backUp, inputOf, restore } from './commands.ts'
import { fillDatabase, standing } from './filled-database.ts'

const force = { force: true }

/** Returns the content of a data directory's workspaces, journal and key. */
async function filesOf(dataDir: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const texts = files.map(async (file) => [
    file.slice(dataDir.length + 1),
    await readFile(file, 'utf8'),
  ])
  return Object.fromEntries(await Promise.all(texts))
}

/** Creates a data directory whose files all hold `text`; returns its key. */
async function fillDirectory(dataDir: string, text: string): Promise<string> {
  for (const place of ['workspaces/one', 'workers/default', 'journal/default', 'keys']) {
    await mkdir(join(dataDir, place), { recursive: true })
  }
  await writeFile(join(dataDir, 'workspaces/one/file'), text)
  await writeFile(join(dataDir, 'workers/default/permissions.jsonc'), text)
  await writeFile(join(dataDir, 'journal/default', text), text)
  const { privateKeyPem } = generateKeyPair()
  await writeFile(join(dataDir, 'keys/signing-key.pem'), privateKeyPem)
  return privateKeyPem
}

/** Renames a value, so that rows of the current database differ from the backup. */
async function rename({ connection }: TestDatabase, name: string): Promise<void> {
  await using first = openDatabase<Schema>(connection, { applicationName: 'test' })
  await first.db.updateTable('caller').set({ name }).execute()
}

/** Opens a connection that no restore takes for the product's. */
async function look({ connection }: TestDatabase) {
  await using first = openDatabase<Schema>(connection, { applicationName: 'test' })
  const names = await first.db.selectFrom('caller').select('name').execute()
  return { names, standing: await standing(first.db) }
}

test('STORE-03 REL-01 restore --force of a backup whose rows do not fit leaves the old rows, files and keys, and nothing beside them', async () => {
  await using source = await createTestDatabase()
  await using target = await createTestDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  await fillDatabase(target.connection)
  const [from, to] = [join(directory.path, 'from'), join(directory.path, 'to')]
  await fillDirectory(from, 'new')
  const oldKey = await fillDirectory(to, 'old')
  // Simulates a broken index; the digest of the backup is correct.
  await sql`
    alter table caller drop constraint caller_pkey cascade;
    insert into caller select * from caller`.execute(source.db)
  const file = await backUp(source, directory.path)
  await rename(target, 'Old')
  const before = [await look(target), await filesOf(to)]
  await expect(restore(target, directory.path, file, force)).rejects.toThrow('caller_pkey')
  expect([await look(target), await filesOf(to)]).toEqual(before)
  {
    await using first = openDatabase<Schema>(target.connection, { applicationName: 'test' })
    expect(await migrateToLatest(first.db)).toEqual([])
  }
  await sql`delete from caller where ctid = (select max(ctid) from caller)`.execute(source.db)
  await restore(target, directory.path, await backUp(source, directory.path), force)
  expect(await filesOf(to)).toEqual({
    ...(await filesOf(from)),
    'journal/default/old': 'old',
    'keys/signing-key.pem.before-restore': oldKey,
  })
})

test('STORE-03 REL-01 kill -9 of restore --force, when all rows are loaded and files are unpacked, leaves the old; the next one brings the new', async () => {
  await using source = await createTestDatabase()
  await using target = await createTestDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  await fillDatabase(target.connection)
  const [from, to] = [join(directory.path, 'from'), join(directory.path, 'to')]
  const newKey = await fillDirectory(from, 'new')
  await fillDirectory(to, 'old')
  await writeFile(join(from, 'workspaces', 'one', 'zeros'), Buffer.alloc(80_000_000))
  const file = await backUp(source, directory.path)
  await rm(join(from, 'workspaces', 'one', 'zeros'))
  await rename(target, 'Old')
  const before = [await look(target), await filesOf(to)]
  const { child, ended } = startProgram(['restore', '--force', file], {
    cwd: directory.path,
    environment: { DATABASE_URL: toDatabaseUrl(target.connection), COUNTERSIGN_DATA_DIR: to },
  })
  const staged = join(to, 'restore.partial', 'workspaces', 'one', 'zeros')
  while (child.exitCode === null && !(await isThere(staged))) await delay(2)
  child.kill('SIGKILL')
  expect(await ended).toEqual({ exitCode: null, stdout: '', stderr: '' })
  await rm(join(to, 'restore.partial', 'workspaces', 'one', 'zeros'))
  const { 'restore.partial/workers/default/permissions.jsonc': unpacked, ...files } =
    await filesOf(to)
  const { 'keys/signing-key.pem.restored': key, ...rest } = files
  expect([unpacked, key]).toEqual(['new', newKey])
  expect([await look(target), rest]).toMatchObject(before)
  await restore(target, directory.path, file, force)
  expect(await look(target)).toMatchObject({ names: [{ name: 'Ada' }] })
  expect((await stat(join(to, 'workspaces/one/zeros'))).size).toBe(80_000_000)
  expect((await readdir(to)).filter((name) => name.startsWith('restore'))).toEqual([])
}, 60_000)

test('STORE-01 REL-01 a restore over the embedded database that was killed is repeated, though its server lives on; beside a running one it is refused', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const run = (...args: readonly string[]) => runProgram(args, { cwd })
  expect((await run('migrate')).exitCode).toBe(0)
  expect((await run('backup', 'b.tar.gz')).exitCode).toBe(0)
  const { child, ended } = startProgram(['restore', '--force', 'b.tar.gz'], { cwd })
  const running = join(cwd, 'data', 'run.json')
  while (child.exitCode === null && !(await isThere(running))) await delay(2)
  child.kill('SIGSTOP')
  const beside = await run('restore', '--force', 'b.tar.gz')
  expect([beside.exitCode, beside.stderr]).toEqual([1, expect.stringMatching(/is running in/)])
  child.kill('SIGKILL')
  expect((await ended).exitCode).toBe(null)
  const again = await run('restore', '--force', 'b.tar.gz')
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringMatching(/^restored the backup/)])
}, 120_000)

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

test('REL-01 a restore that is broken off after its rows says so, nothing starts on it, and the next one finishes it', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  const to = join(directory.path, 'to')
  const newKey = await fillDirectory(join(directory.path, 'from'), 'new')
  const file = await backUp(source, directory.path)
  // The new key fits beside it, and no name that would keep the old one.
  const signingKeyFile = join(directory.path, 'k'.repeat(245))
  await writeFile(signingKeyFile, 'old')
  const config = { ...inputOf(target, to).config, signingKeyFile }
  await expect(restore(target, directory.path, file, { config })).rejects.toThrow(
    /same restore again/,
  )
  {
    await using first = openDatabase<Schema>(target.connection, { applicationName: 'test' })
    await expect(migrateToLatest(first.db)).rejects.toThrow(/broken off.+countersign restore again/)
  }
  await restore(target, directory.path, file)
  expect(await filesOf(to)).toMatchObject({
    'workspaces/one/file': 'new',
    'keys/signing-key.pem': newKey,
  })
  expect(await migrateToLatest(target.db)).toEqual([])
})

test('STORE-03 a restore that was broken off may replace without --force the files of its own data directory alone', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  await fillDirectory(join(directory.path, 'from'), 'new')
  const file = await backUp(source, directory.path)
  const to = join(directory.path, 'to')
  await restore(target, directory.path, file)
  const other = join(directory.path, 'other')
  await fillDirectory(other, 'old')
  await noteBrokenOff(target, file, to)
  await expect(restore(target, directory.path, file, inputOf(target, other))).rejects.toThrow(
    /files in .+other.+already.+--force/,
  )
  expect(await readFile(join(other, 'workspaces/one/file'), 'utf8')).toBe('old')
  await writeFile(join(to, 'workspaces/one/file'), 'half')
  await restore(target, directory.path, file)
  expect(await readFile(join(to, 'workspaces/one/file'), 'utf8')).toBe('new')
})

test('STORE-03 no command works on a database whose restore was broken off: no backup is made of it, and nobody is forgotten', async () => {
  await using target = await createTestDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(target.connection)
  const dataDir = join(directory.path, 'from')
  await mkdir(dataDir)
  await noteBrokenOff(target, 'b.tar.gz', dataDir)
  await expect(backUp(target, directory.path)).rejects.toThrow(/broken off/)
  expect(await readdir(directory.path)).toEqual(['from'])
  const environment = { DATABASE_URL: toDatabaseUrl(target.connection) }
  const forget = ['people', 'forget', 'telegram:42', '--yes']
  expect(await runProgram(forget, { cwd: directory.path, environment })).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/broken off.+countersign restore again/),
  })
  expect(await look(target)).toMatchObject({ names: [{ name: 'Ada' }] })
})

/** Leaves the database like a restore into `dataDir` that was killed while renaming files. */
async function noteBrokenOff(
  { connection }: TestDatabase,
  backup: string,
  dataDir: string,
): Promise<void> {
  await using first = openDatabase<Schema>(connection, { applicationName: 'test' })
  await recordRestore(first.db, { backup, dataDir: await realpath(dataDir) })
}

test('STORE-03 a key that a restore replaces is kept under a name of its own, whatever restores came before', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDirectory(join(directory.path, 'from'), 'new')
  const place = join(directory.path, 'to', 'keys', 'signing-key.pem')
  await mkdir(dirname(place), { recursive: true })
  for (const [key, kept] of [
    ['first', 'before-restore'],
    ['second', 'before-restore-2'],
    ['third', 'before-restore-3'],
  ]) {
    await writeFile(place, `${key}`)
    const file = await backUp(source, directory.path)
    const { notes } = await restore(target, directory.path, file, force)
    expect(notes).toEqual([`the key that was there is kept as ${place}.${kept}`])
  }
  expect(await filesOf(dirname(place))).toMatchObject({
    'signing-key.pem.before-restore': 'first',
    'signing-key.pem.before-restore-2': 'second',
    'signing-key.pem.before-restore-3': 'third',
  })
})

test('STORE-03 a restore ends only when the role of the product has its rights; the same one ends it', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  const file = await backUp(source, directory.path)
  const { config } = inputOf(target, join(directory.path, 'to'))
  const withoutUser = { ...config, appDatabaseUrl: new Secret('postgres://localhost/x') }
  await expect(restore(target, directory.path, file, { config: withoutUser })).rejects.toThrow(
    /has not its rights .+names no user.+same restore again/,
  )
  await expect(backUp(target, directory.path, 'to')).rejects.toThrow(/broken off/)
  await restore(target, directory.path, file)
  expect(await look(target)).toMatchObject({ names: [{ name: 'Ada' }] })
})

test('STORE-03 a restore whose audit cannot be verified says so, and is whole', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  const keys = join(directory.path, 'from', 'keys')
  await mkdir(keys, { recursive: true })
  await writeFile(join(keys, 'signing-key.pem'), 'no key')
  const file = await backUp(source, directory.path)
  expect(await restore(target, directory.path, file)).toMatchObject({
    auditRows: undefined,
    broken: [],
    notes: [
      expect.stringMatching(/could not be verified \(cannot use the keys in .+audit verify$/),
    ],
  })
  expect(await migrateToLatest(target.db)).toEqual([])
})

test('STORE-03 the transaction of a restore ends by no limit of time that the database sets', async () => {
  await using target = await createTestDatabase()
  const { database } = target.connection
  for (const name of timeouts) {
    await sql.raw(`alter database ${database} set ${name} = '1h'`).execute(target.db)
  }
  await using later = openDatabase<Schema>(target.connection, { applicationName: 'test' })
  const read = async (db: Db) => {
    const values = sql.join(timeouts.map((name) => sql`current_setting(${name})`))
    const { rows } = await sql<{ all: readonly string[] }>`select array[${values}] as all`.execute(
      db,
    )
    return rows[0]?.all
  }
  expect(await read(later.db)).toEqual(timeouts.map(() => '1h'))
  expect(await inOneTransaction<Schema, unknown>(later.pool, read)).toEqual(timeouts.map(() => '0'))
  expect(await read(later.db)).toEqual(timeouts.map(() => '1h'))
})

/** For PostgreSQL 17 and later. */
const timeouts = [
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'statement_timeout',
  'transaction_timeout',
]

test('STORE-03 a restore is refused while another one goes into the same database, whatever data directory that one has', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  const file = await backUp(source, directory.path)
  {
    const options = { applicationName: 'countersign restore' }
    await using other = openDatabase<Schema>(target.connection, options)
    await using _ = await holdRestores(other.pool)
    await expect(restore(target, directory.path, file)).rejects.toThrow(/another restore into/)
    expect(
      (await sql`select from pg_tables where schemaname = 'public'`.execute(other.db)).rows,
    ).toEqual([])
  }
  await restore(target, directory.path, file)
  expect(await look(target)).toMatchObject({ names: [{ name: 'Ada' }] })
})

test('STORE-03 files, directories and names are on the disk when a restore ends', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  const [from, to] = [join(directory.path, 'from'), join(directory.path, 'to')]
  await fillDirectory(from, 'new')
  await mkdir(join(to, 'journal/default'), { recursive: true })
  const file = await backUp(source, directory.path)
  const synced = await watchSyncs(directory.path)
  try {
    await restore(target, directory.path, file)
  } finally {
    vi.restoreAllMocks()
  }
  const places = await readdir(to, { recursive: true, withFileTypes: true })
  const paths = places.map((one) => join(one.parentPath, one.name))
  expect(paths).toContain(join(to, 'journal/default/new'))
  for (const path of [to, ...paths]) {
    const isSynced = synced.has((await stat(path)).ino)
    expect({ path, isSynced }).toEqual({ path, isSynced: true })
  }
})

/** Collects the inode of each file and directory that this process flushes. */
async function watchSyncs(directory: string): Promise<ReadonlySet<number>> {
  const synced = new Set<number>()
  await using handle = await open(directory)
  const prototype: FileHandle = Object.getPrototypeOf(handle)
  const { sync } = prototype
  vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
    synced.add(fs.fstatSync(this.fd).ino)
    return sync.call(this)
  })
  const { fsync } = fs
  vi.spyOn(fs, 'fsync').mockImplementation((fd, done) => {
    synced.add(fs.fstatSync(fd).ino)
    fsync(fd, done)
  })
  return synced
}

test('STORE-03 workspaces that were named are listed, with the option they come along, and a restore writes them into the data directory alone', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  const { config } = inputOf(source, join(directory.path, 'from'))
  const [app, gone] = [join(directory.path, 'app'), join(directory.path, 'gone')]
  await mkdir(join(app, 'src'), { recursive: true })
  await writeFile(join(app, 'src', 'main.ts'), 'text')
  await mkdir(config.dataDir)
  for (const workspace of [app, gone, app]) {
    await recordWorkspace({ ...config, worker: { ...config.worker, workspace } })
  }
  await recordWorkspace(config)
  const file = await backUp(source, directory.path)
  expect((await restore(target, directory.path, file)).notes).toEqual([
    `the workspace ${app} is not in the backup`,
    `the workspace ${gone} is not in the backup`,
  ])
  const whole = await backUp(source, directory.path, 'from', { withNamed: true })
  const { notes } = await restore(target, directory.path, whole, force)
  const place = join(directory.path, 'to', 'named-workspaces', '1-app')
  expect(notes).toEqual([
    `the workspace ${app} is in ${place}: move it to its place`,
    `the workspace ${gone} is not in the backup`,
  ])
  expect(await readFile(join(place, 'src', 'main.ts'), 'utf8')).toBe('text')
  await expect(
    backUp(source, directory.path, 'from', { withNamed: true, file: join(app, 'b.tar.gz') }),
  ).rejects.toThrow(/lies in the workspace/)
})
