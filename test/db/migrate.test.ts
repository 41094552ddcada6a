import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { migrateToLatest } from '../../src/db/migrate.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/database/database.ts'
import { temporaryDirectory } from './embedded/fixtures/temporary-directory.ts'

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))
const files = (await readdir(migrations)).filter((file) => file.endsWith('.ts')).sort()
const names = files.map((file) => file.replace(/\.ts$/, ''))

test('STORE-03 brings an empty database to the newest step and says which steps it took', async () => {
  await using database = await createEmptyDatabase()
  expect(await migrateToLatest(database.db)).toEqual(names)
  expect(await tables(database)).toContain('turn')
})

test('STORE-03 takes no step a second time', async () => {
  await using database = await createEmptyDatabase()
  await migrateToLatest(database.db)
  expect(await migrateToLatest(database.db)).toEqual([])
})

test('STORE-03 takes each step from the version before it', async () => {
  await using database = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  for (const [index, file] of files.entries()) {
    await symlink(join(migrations, file), join(directory.path, file))
    expect(await migrateToLatest(database.db, { directory: directory.path })).toEqual([
      names[index],
    ])
  }
})

test('STORE-03 of three that migrate at once one takes each step', async () => {
  await using database = await createEmptyDatabase()
  const migrators = Array.from({ length: 3 }, async () => {
    await using own = openDatabase(database.connection)
    return await migrateToLatest(own.db)
  })
  const taken = (await Promise.all(migrators)).flat()
  expect(taken).toEqual(names)
})

test('STORE-03 a step that fails is named, and none of its run remains', async () => {
  await using database = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await step(directory.path, '20261121T000000-good', 'create table good (n int)')
  await step(directory.path, '20261121T000001-bad', 'create table good (n int)')
  await expect(migrateToLatest(database.db, { directory: directory.path })).rejects.toThrow(
    /migration 20261121T000001-bad failed: .*already exists/,
  )
  expect(await tables(database)).not.toContain('good')
})

test.each([
  ['add-something', 'export const up = async () => {}', /no name of a migration/],
  ['20261121T000000-empty', 'export const nothing = 1', /no function named up/],
  [
    '20261121T000000-both',
    'export const up = async () => {}\nexport const down = async () => {}',
    /only go upward/,
  ],
])('STORE-03 refuses %s as a step', async (name, text, reason) => {
  await using database = await createEmptyDatabase()
  await using directory = await temporaryDirectory()
  await mkdir(directory.path, { recursive: true })
  await writeFile(join(directory.path, `${name}.ts`), text)
  await expect(migrateToLatest(database.db, { directory: directory.path })).rejects.toThrow(reason)
})

async function step(directory: string, name: string, statement: string): Promise<void> {
  const text = `export async function up(db) {
    await db.executeQuery({ query: { kind: 'RawNode' }, sql: ${JSON.stringify(statement)}, parameters: [] })
  }`
  await writeFile(join(directory, `${name}.ts`), text)
}

async function tables({ db }: TestDatabase): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}
