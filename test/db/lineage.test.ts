import { readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { explainError } from '../../src/app/logs/explain-error.ts'
import { compareLineage } from '../../src/db/lineage/compare-lineage.ts'
import { mayComeLate, renamed } from '../../src/db/lineage/history.ts'
import { migrateToLatest, migrationNames } from '../../src/db/migrate.ts'
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/database/database.ts'
import { fingerprint } from '../support/fingerprint.ts'
import { temporaryDirectory } from './embedded/fixtures/temporary-directory.ts'

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))
const known = await migrationNames()
/** The first two were renamed at once, with a change to the second. */
const former = [...renamed.keys()].slice(0, 2)

/** Takes the steps, each from the file of its present name. */
async function take(database: TestDatabase, steps: readonly string[]): Promise<void> {
  await using directory = await temporaryDirectory()
  for (const step of steps) {
    const file = `${renamed.get(step) ?? step}.ts`
    await symlink(join(migrations, file), join(directory.path, `${step}.ts`))
  }
  await migrateToLatest(database.db, { directory: directory.path })
}

async function addConversation({ db }: TestDatabase): Promise<void> {
  await sql`
    insert into conversation (id, platform, external_id)
    values ('018f0000-0000-7000-8000-000000000001', 'telegram', '42')`.execute(db)
}

async function conversations({ db }: TestDatabase): Promise<readonly string[]> {
  const rows = await db.selectFrom('conversation').select('external_id').execute()
  return rows.map(({ external_id }) => external_id)
}

test('STORE-03 a database that took steps under former names goes on, and is told so', async () => {
  await using fresh = await createTestDatabase()
  await using database = await createEmptyDatabase()
  const before = known.filter((step) => step < '20261123T034000')
  await take(database, [...before, ...former])
  // The index came with the new name.
  await sql`drop index tool_overflow_session`.execute(database.db)
  await addConversation(database)
  const notes: string[] = []
  await migrateToLatest(database.db, { note: (sentence) => notes.push(sentence) })
  expect(notes).toEqual([
    'the step 20261123T000000-failures is called 20261123T034000-failures now',
    'the step 20261123T010000-filtered-output is called 20261123T035000-filtered-output now',
  ])
  expect(await fingerprint(database)).toEqual(await fingerprint(fresh))
  expect(await conversations(database)).toEqual(['42'])
  expect(await migrateToLatest(database.db)).toEqual([])
})

test('STORE-03 of three that meet a database with former names one renames them', async () => {
  await using database = await createEmptyDatabase()
  await take(database, [...known.filter((step) => step < '20261123T034000'), ...former])
  const taken = await Promise.all([1, 2, 3].map(() => migrateToLatest(database.db)))
  expect(taken.flat()).toEqual(known.filter((step) => step > '20261123T035000-filtered-output'))
})

test('STORE-03 a database that lacks steps which were put before later ones takes them late', async () => {
  await using fresh = await createTestDatabase()
  await using database = await createEmptyDatabase()
  await take(
    database,
    known.filter((step) => !mayComeLate.has(step) && step < '20261124'),
  )
  await addConversation(database)
  expect(await migrateToLatest(database.db)).toEqual([
    ...mayComeLate,
    ...known.filter((step) => step > '20261124' && !mayComeLate.has(step)),
  ])
  expect(await fingerprint(database)).toEqual(await fingerprint(fresh))
  expect(await conversations(database)).toEqual(['42'])
})

test('STORE-03 a database of the first days, whose steps had another text, is brought in line', async () => {
  await using fresh = await createTestDatabase()
  await using database = await createEmptyDatabase()
  await take(
    database,
    known.filter((step) => step < '20261124'),
  )
  await sql`
    alter table turn drop column crashes;
    alter table approval drop column confined;
    alter table outbox drop column claimed_until, drop column is_cut;
    alter table inbound_event drop column not_before;
    alter table agent drop column live_key;
    drop index outbox_in_parts;
    drop index conversation_chat;
    drop index tool_overflow_session;
    drop index audit_log_denied;
    create index audit_log_denied on audit_log (at, id);
    create index caller_name on caller (lower(name));
    alter table upload add check (state <> 'kept' or attachment_id is not null)`.execute(
    database.db,
  )
  await migrateToLatest(database.db)
  expect(await fingerprint(database)).toEqual(await fingerprint(fresh))
})

test('STORE-03 a database of another line of versions is left alone, and words say what differs and what to do', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await sql`delete from kysely_migration where name = '20261121T102000-audit'`.execute(db)
  await sql`insert into kysely_migration values ('20261121T102000-else', 'now')`.execute(db)
  const before = await sql`select * from kysely_migration`.execute(db)
  const error: unknown = await migrateToLatest(db).catch((thrown: unknown) => thrown)
  const words = explainError(error)?.message ?? ''
  expect(words).toContain('steps that this version does not have: 20261121T102000-else\n')
  expect(words).toContain('takes before others it has: 20261121T102000-audit\n')
  expect(words).toContain('countersign restore --by-column')
  expect((await sql`select * from kysely_migration`.execute(db)).rows).toEqual(before.rows)
})

test('STORE-03 a step that earlier was another one of the same name is told by what it did not make', async () => {
  await using database = await createTestDatabase()
  await sql`drop view audit_waiting`.execute(database.db)
  await expect(migrateToLatest(database.db)).rejects.toThrow(
    /earlier forms of: 20261122T011000-audit-views/,
  )
})

test('STORE-03 every beginning of the list is ours; what is newer, missing in between or unknown is told apart', () => {
  fc.assert(
    fc.property(fc.nat(known.length), (length) => {
      const done = known.slice(0, length)
      const missing = known.slice(length)
      expect(compareLineage({ known, done })).toEqual({ kind: 'ours', missing })
      expect(compareLineage({ known: done, done: known })).toEqual(
        missing.length === 0 ? { kind: 'ours', missing: [] } : { kind: 'newer', unknown: missing },
      )
    }),
  )
  fc.assert(
    fc.property(fc.nat(known.length - 2), (index) => {
      const done = known.filter((_, at) => at !== index)
      const step = known[index] ?? ''
      const lineage = compareLineage({ known, done })
      if (mayComeLate.has(step)) expect(lineage).toEqual({ kind: 'ours', missing: [step] })
      else expect(lineage).toMatchObject({ kind: 'other', skipped: [step] })
      expect(compareLineage({ known: done, done: known }).kind).toBe('other')
    }),
  )
})

test('STORE-03 history names only steps that are there', async () => {
  const files = await readdir(migrations)
  for (const step of [...mayComeLate, ...renamed.values()]) expect(files).toContain(`${step}.ts`)
})
