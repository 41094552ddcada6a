import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { restoreBackup } from '../../../../src/cli/setup/backup/restore-backup.ts'
import { openDatabase } from '../../../../src/db/database.ts'
import { former, squashed } from '../../../../src/db/lineage/history.ts'
import { migrateToLatest } from '../../../../src/db/migrate.ts'
import type { Schema } from '../../../../src/db/schema.ts'
import { temporaryDirectory } from '../../../db/embedded/fixtures/temporary-directory.ts'
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../../support/database/database.ts'
import { fingerprint } from '../../../support/fingerprint.ts'
import { backUp, inputOf, restore } from './commands.ts'
import { addCall, fillDatabase, standing } from './filled-database.ts'

/** Returns all rows of all tables except those that a restore writes itself. */
async function allRows({ db }: TestDatabase): Promise<readonly string[]> {
  const tables = [
    'caller',
    'conversation',
    'session',
    'tool_call',
    'approval',
    'attachment',
    'approval_card',
  ]
  const rows: string[] = []
  for (const table of tables) {
    const found = await sql<{ line: string }>`
      select row_to_json(t)::text as line from ${sql.table(table)} t order by 1`.execute(db)
    rows.push(...found.rows.map(({ line }) => line))
  }
  return rows
}

test('STORE-03 REL-01 a backup brings every row back; what may have been done since is not done again', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  const file = await backUp(source, directory.path)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const restored = await restore(target, directory.path, file)
  expect(restored).toMatchObject({ stoppedTurns: 2, auditRows: 3, broken: [], notes: [] })
  expect((await standing(target.db)).turns).toEqual(['1 acting', '2 stopped', '3 stopped'])
  expect(await standing(target.db)).toMatchObject({
    calls: ['1 awaiting_approval', '2 running cancel'],
    approvals: ['pending'],
    outbox: ['said: sent', 'on its way: dead', 'card: pending'],
    unhandled: [],
  })
  await sql`update tool_call set cancel_requested_at = null`.execute(target.db)
  expect(await allRows(target)).toEqual(await allRows(source))
  expect(await fingerprint(target)).toEqual(await fingerprint(source))
  const told = await target.db.selectFrom('outbox').select('body').where('id', '>', 3).execute()
  expect(told.map(({ body }) => JSON.parse(body).text)).toEqual([
    expect.stringMatching(/^This bot was restored .+ was stopped/),
    expect.stringMatching(/^This bot was restored .+ was stopped/),
    expect.stringMatching(/send it again/),
  ])
})

test('REL-01 a call that was approved before the backup is not run after it, whatever else of its batch waits', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  {
    await using first = openDatabase<Schema>(source.connection, { applicationName: 'test' })
    await addCall(first.db, 1, 2, 'allowed')
  }
  const file = await backUp(source, directory.path)
  expect(await restore(target, directory.path, file)).toMatchObject({ stoppedTurns: 3 })
  expect(await standing(target.db)).toMatchObject({
    turns: ['1 stopped', '2 stopped', '3 stopped'],
    calls: ['1 cancelled', '2 running cancel', '1 cancelled'],
    approvals: ['cancelled'],
  })
})

test('REL-01 with --moved all goes on where it was, but only where nothing ran during the backup', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  const file = await backUp(source, directory.path)
  const before = await standing(source.db)
  // That connection is one of the product's.
  const loud = await backUp(source, directory.path, 'loud')
  await expect(restore(target, directory.path, loud, { isMoved: true })).rejects.toThrow(/--moved/)
  await restore(target, directory.path, file, { isMoved: true })
  expect(await standing(target.db)).toEqual(before)
})

test('STORE-03 a backup of an earlier version, before the squash too, is restored at its step and brought to this version', async () => {
  await using source = await createEmptyDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  {
    await using first = openDatabase<Schema>(source.connection, { applicationName: 'test' })
    await migrateToLatest(first.db, { steps: squashed })
    await sql`delete from kysely_migration`.execute(first.db)
    for (const step of former) {
      await sql`insert into kysely_migration values (${step}, '2026-11-25')`.execute(first.db)
    }
    await sql`
      insert into conversation (id, platform, external_id)
      values ('00000000-0000-7000-8000-000000000001', 'telegram', '42')`.execute(first.db)
  }
  const file = await backUp(source, directory.path)
  expect(await restore(target, directory.path, file)).toMatchObject({ broken: [], notes: [] })
  const found = await target.db.selectFrom('conversation').select('external_id').execute()
  expect(found).toEqual([{ external_id: '42' }])
  expect(await migrateToLatest(target.db)).toEqual([])
})

test('STORE-03 --by-column takes along what another line of versions has in common with this one', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  await sql`
    alter table turn drop column crashes;
    alter table caller add column nickname text default 'x';
    create table elsewhere as select 1 as one;
    insert into kysely_migration values ('20261122T000001-elsewhere', 'now')`.execute(source.db)
  const file = await backUp(source, directory.path)
  await expect(restore(target, directory.path, file)).rejects.toThrow(
    /another line of versions.+20261122T000001-elsewhere.+--by-column/,
  )
  const { notes, broken } = await restore(target, directory.path, file, { byColumn: true })
  expect(broken).toEqual([])
  expect(notes).toEqual([
    expect.stringMatching(/: caller.nickname$/),
    expect.stringMatching(/: elsewhere$/),
  ])
  expect(await target.db.selectFrom('caller').select('name').execute()).toEqual([{ name: 'Ada' }])
  expect(await target.db.selectFrom('turn').select('crashes').execute()).toHaveLength(3)
})

test('REL-02 a backup that is newer, damaged, truncated or invalid changes nothing', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  const file = await backUp(source, directory.path)
  const bytes = gunzipSync(await readFile(file))
  const other = join(directory.path, 'other.tar.gz')
  const refuses = async (content: Buffer, words: RegExp) => {
    await writeFile(other, content)
    await expect(restore(target, directory.path, other, { force: true })).rejects.toThrow(words)
  }
  const changed = Buffer.from(bytes)
  changed.write('Eve', bytes.indexOf('"Ada"') + 1)
  await refuses(gzipSync(changed), /changed: its digest/)
  await refuses(gzipSync(bytes.subarray(0, bytes.length / 2)), /ends too early/)
  await refuses((await readFile(file)).subarray(0, 900), /ends too early/)
  await refuses(Buffer.from('no backup'), /damaged/)
  await refuses(gzipSync(Buffer.alloc(2048)), /no backup of Countersign/)
  await sql`insert into kysely_migration values ('29990101T000000-later', 'now')`.execute(source.db)
  await refuses(await readFile(await backUp(source, directory.path, 'newer')), /newer version/)
  const { rows } = await sql`select from pg_tables where schemaname = 'public'`.execute(target.db)
  expect(rows).toEqual([])
})

test('STORE-03 nothing is replaced without --force, while something runs, or where it is not ours', async () => {
  await using source = await createTestDatabase()
  await using target = await createTestDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  await fillDatabase(target.connection)
  const file = await backUp(source, directory.path)
  await expect(restore(target, directory.path, file)).rejects.toThrow(/holds data already/)
  await sql`select 1`.execute(target.db)
  await expect(restore(target, directory.path, file, { force: true })).rejects.toThrow(
    /processes use/,
  )
  await using foreign = await createEmptyDatabase()
  {
    await using first = openDatabase<Schema>(foreign.connection, { applicationName: 'test' })
    await sql`create table theirs as select 1 as one`.execute(first.db)
  }
  await expect(restore(foreign, directory.path, file, { force: true })).rejects.toThrow(
    /tables of something else/,
  )
  {
    await using first = openDatabase<Schema>(foreign.connection, { applicationName: 'test' })
    await sql`
      create table kysely_migration as select '001-users' as name, 'now' as timestamp`.execute(
      first.db,
    )
  }
  await expect(restore(foreign, directory.path, file, { force: true })).rejects.toThrow(
    /tables of something else/,
  )
})

test('STORE-03 --force drops nothing where a key or the data directory could not be written', async () => {
  await using source = await createTestDatabase()
  await using target = await createTestDatabase()
  await using directory = await temporaryDirectory()
  await fillDatabase(source.connection)
  await fillDatabase(target.connection)
  const keys = join(directory.path, 'from', 'keys')
  await mkdir(keys, { recursive: true })
  await writeFile(join(keys, 'signing-key.pem'), 'a key')
  const file = await backUp(source, directory.path)
  await writeFile(join(directory.path, 'plain'), '')
  const place = join(directory.path, 'plain', 'signing-key.pem')
  const input = inputOf(target, join(directory.path, 'to'))
  const force = { file, force: true, isMoved: false, byColumn: false }
  const withKeyAt = (signingKeyFile: string) =>
    restoreBackup({ ...input, ...force, config: { ...input.config, signingKeyFile } })
  {
    await using first = openDatabase<Schema>(target.connection, { applicationName: 'test' })
    await first.db.updateTable('caller').set({ name: 'Newer' }).execute()
  }
  await expect(withKeyAt(place)).rejects.toThrow(/cannot write in .+plain.+Nothing was changed/)
  expect(await target.db.selectFrom('caller').select('name').execute()).toEqual([{ name: 'Newer' }])
})

test('STORE-03 files come back with their modes and links, and never through a link', async () => {
  await using source = await createTestDatabase()
  await using target = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  const from = join(directory.path, 'from', 'workspaces', 'one')
  await mkdir(join(from, 'closed'), { recursive: true })
  await writeFile(join(from, 'closed', 'kept'), 'x'.repeat(70_000))
  await chmod(join(from, 'closed', 'kept'), 0o4751)
  await chmod(join(from, 'closed'), 0o555)
  await symlink('/etc', join(from, 'away'))
  await link(join(from, 'closed', 'kept'), join(from, 'same'))
  await mkdir(join(directory.path, 'from', 'journal', 'default'), { recursive: true })
  await writeFile(join(directory.path, 'from', 'journal', 'default', 'call'), 'older')
  const file = await backUp(source, directory.path)
  await mkdir(join(directory.path, 'to', 'journal', 'default'), { recursive: true })
  await writeFile(join(directory.path, 'to', 'journal', 'default', 'call'), 'newer')
  await restore(target, directory.path, file)
  const to = join(directory.path, 'to', 'workspaces', 'one')
  expect((await readFile(join(to, 'closed', 'kept'), 'utf8')).length).toBe(70_000)
  expect((await stat(join(to, 'closed', 'kept'))).mode & 0o7777).toBe(0o751)
  expect((await stat(join(to, 'closed'))).mode & 0o7777).toBe(0o555)
  expect(await readlink(join(to, 'away'))).toBe('/etc')
  expect((await lstat(join(to, 'same'))).ino).toBe((await lstat(join(to, 'closed', 'kept'))).ino)
  const journal = join(directory.path, 'to', 'journal', 'default', 'call')
  expect(await readFile(journal, 'utf8')).toBe('newer')
  await chmod(join(from, 'closed'), 0o755)
  await chmod(join(to, 'closed'), 0o755)
})
