import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { explainError } from '../../src/app/logs/explain-error.ts'
import { compareLineage } from '../../src/db/lineage/compare-lineage.ts'
import {
  former,
  mayComeLate,
  presentSteps,
  renamed,
  squashed,
} from '../../src/db/lineage/history.ts'
import { migrateToLatest, migrationNames } from '../../src/db/migrate.ts'
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/database/database.ts'
import { fingerprint } from '../support/fingerprint.ts'

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))
const known = await migrationNames()
const later = known.slice(squashed.length)

/** A database as the steps before the squash left it, `without` some of them, under the names that they had at first. */
async function createFormer(without: readonly string[] = []): Promise<TestDatabase> {
  const database = await createEmptyDatabase()
  await migrateToLatest(database.db, { steps: squashed })
  const firstNames = new Map([...renamed].map(([before, after]) => [after, before]))
  const taken = former.filter((step) => !without.includes(step))
  await sql`delete from kysely_migration`.execute(database.db)
  for (const step of taken) {
    const name = firstNames.get(step) ?? step
    await sql`insert into kysely_migration values (${name}, '2026-11-25T10:00:00.000Z')`.execute(
      database.db,
    )
  }
  return database
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

test('STORE-03 a database of before the squash goes on from there, and is told what its steps are called now', async () => {
  await using fresh = await createTestDatabase()
  await using database = await createFormer()
  await addConversation(database)
  const notes: string[] = []
  expect(await migrateToLatest(database.db, { note: (sentence) => notes.push(sentence) })).toEqual(
    later,
  )
  expect(notes).toEqual([
    'the step 20261123T000000-failures is called 20261123T034000-failures now',
    'the step 20261123T010000-filtered-output is called 20261123T035000-filtered-output now',
    'the first 43 steps of the database are 11 now, which make the same tables',
  ])
  expect(await fingerprint(database)).toEqual(await fingerprint(fresh))
  expect(await conversations(database)).toEqual(['42'])
  expect(await migrateToLatest(database.db)).toEqual([])
})

test('STORE-03 the squashed steps make what those made in whose place they stand', async () => {
  await using database = await createFormer()
  const lines = (await fingerprint(database)).filter((line) => !/audit_log_\d{4}_\d\d/.test(line))
  const digest = createHash('sha256').update(lines.join('\n')).digest('hex')
  // Taken from a database that the 43 steps of before made.
  expect(digest).toBe('f184bcc6973eb7ce7599734ebf59fe74adf849a59811e0f964c4bfbcb4709ebe')
})

test('STORE-03 of three that meet a database of before the squash one gives its steps their names', async () => {
  await using database = await createFormer()
  const taken = await Promise.all([1, 2, 3].map(() => migrateToLatest(database.db)))
  expect(taken.flat()).toEqual(later)
})

test('STORE-03 a database that took only some of the steps of before is left alone, and words say what it lacks', async () => {
  const lacking = former.slice(30, 35)
  await using database = await createFormer(lacking)
  const before = await sql`select * from kysely_migration`.execute(database.db)
  const error: unknown = await migrateToLatest(database.db).catch((thrown: unknown) => thrown)
  const words = explainError(error)?.message ?? ''
  expect(words).toContain(
    `takes before others it has: ${lacking.slice(0, 3).join(', ')} and 2 more`,
  )
  expect(words).toContain('countersign restore --by-column')
  const after = await sql`select * from kysely_migration`.execute(database.db)
  expect(after.rows).toEqual(before.rows)
})

test('STORE-03 a database that lacks a step which was put before later ones takes it late', async () => {
  await using fresh = await createTestDatabase()
  await using database = await createEmptyDatabase()
  await migrateToLatest(database.db, { steps: known.filter((step) => !mayComeLate.has(step)) })
  await addConversation(database)
  expect(await migrateToLatest(database.db)).toEqual([...mayComeLate])
  expect(await fingerprint(database)).toEqual(await fingerprint(fresh))
  expect(await conversations(database)).toEqual(['42'])
})

test('STORE-03 a database of the first days, whose steps had another text, is brought in line', async () => {
  await using fresh = await createTestDatabase()
  await using database = await createFormer()
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
  await sql`delete from kysely_migration where name = '20261121T000008-audit'`.execute(db)
  await sql`insert into kysely_migration values ('20261121T000008-else', 'now')`.execute(db)
  const before = await sql`select * from kysely_migration`.execute(db)
  const error: unknown = await migrateToLatest(db).catch((thrown: unknown) => thrown)
  const words = explainError(error)?.message ?? ''
  expect(words).toContain('steps that this version does not have: 20261121T000008-else\n')
  expect(words).toContain('takes before others it has: 20261121T000008-audit\n')
  expect(words).toContain('countersign restore --by-column')
  expect((await sql`select * from kysely_migration`.execute(db)).rows).toEqual(before.rows)
})

test('STORE-03 a step that earlier was another one of the same name is told by what it did not make', async () => {
  await using database = await createFormer()
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

test('STORE-03 history leads only to steps that are there', async () => {
  const files = await readdir(migrations)
  const steps = [...presentSteps([...former, ...renamed.keys()]), ...mayComeLate]
  for (const step of steps) expect(files).toContain(`${step}.ts`)
})
