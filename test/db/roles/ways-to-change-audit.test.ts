import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { grantAppRole } from '../../../src/db/roles/grant-roles.ts'
import { waysToChangeAudit } from '../../../src/db/roles/ways-to-change-audit.ts'
import type { Db } from '../../../src/db/schema.ts'
import { newId } from '../../../src/util/ids.ts'
import { createTestDatabase } from '../../support/database/database.ts'

const name = `app_${newId().replaceAll('-', '').slice(-12)}`
const role = sql.id(name)
const group = sql.id(`${name}_group`)
const mine = sql`create function public.mine() returns void language sql as ''`

/** Statements of a database's administrator, the way they open, and whether `grantAppRole` closes it. */
const gifts: readonly (readonly [readonly RawBuilder<unknown>[], string | undefined, boolean])[] = [
  [[], undefined, true],
  [[sql`alter role ${role} superuser`], 'is a superuser', false],
  [[sql`alter role ${role} createrole`], 'may make roles', false],
  [[sql`grant pg_execute_server_program to ${role}`], 'may write files or run programs', false],
  [[sql`grant create on schema public to ${role}`], 'may create in the schema', true],
  [[sql`grant create on schema public to public`], 'may create in the schema', true],
  [[sql`alter schema public owner to ${role}`], 'owns the schema', false],
  [[mine, sql`alter function public.mine() owner to ${role}`], 'owns tables, functions', false],
  [[sql`grant delete on audit_approvals to ${role}`], 'has rights on the audit', true],
  [[sql`grant update on audit_egress to public`], 'has rights on the audit', true],
  [[sql`grant update (tool) on audit_log to ${role}`], 'has rights on the audit', true],
  [[sql`grant trigger on audit_checkpoint to ${role}`], 'has rights on the audit', true],
  [[sql`grant delete on audit_cut to ${role}`], 'has rights on the audit', true],
  [[sql`grant delete on audit_log_default to public`], 'has rights on the audit', true],
  [
    [
      sql`create view of_views as select * from audit_denials where caller_id is null`,
      sql`grant delete on of_views to ${role}`,
    ],
    'has rights on the audit',
    true,
  ],
  [
    [
      sql`create role ${group}`,
      sql`grant delete on audit_log to ${group}`,
      sql`alter role ${role} noinherit`,
      sql`grant ${group} to ${role}`,
    ],
    'has rights on the audit',
    false,
  ],
]

test('AUD-02 every way to change the audit is reported', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  for (const [statements, way, isClosed] of gifts) {
    await undone(db, async (trx) => {
      for (const statement of statements) await statement.execute(trx)
      const found = await waysToChangeAudit(trx, name)
      expect(found.join('; '), way).toContain(way ?? '')
      if (way === undefined) expect(found).toEqual([])
      const granted = grantAppRole(alreadyBegun(trx), name)
      if (!isClosed) return await expect(granted).rejects.toThrow(`could change the audit`)
      await granted
      expect(await waysToChangeAudit(trx, name), way).toEqual([])
    })
  }
})

test('AUD-02 a role that owns the database is reported', async () => {
  await using database = await createTestDatabase()
  const here = sql.id(database.connection.database)
  await undone(database.db, async (trx) => {
    await sql`grant create on database ${here} to ${role}`.execute(trx)
    expect(await waysToChangeAudit(trx, name)).toEqual(['may create in the database'])
  })
  await undone(database.db, async (trx) => {
    await sql`alter database ${here} owner to ${role}`.execute(trx)
    const ways = await waysToChangeAudit(trx, name)
    expect(ways).toEqual(expect.arrayContaining(['owns the database', 'owns the schema']))
  })
})

/** With the role, in a transaction that is rolled back: roles belong to the server. */
async function undone(db: Db, work: (trx: Db) => Promise<void>): Promise<void> {
  const trx = await db.startTransaction().execute()
  try {
    await sql`create role ${role} login`.execute(trx)
    await work(trx)
  } finally {
    await trx.rollback().execute()
  }
}

/** Starting a transaction continues in this one. */
function alreadyBegun(trx: Db): Db {
  const transaction = () => ({ execute: (work: (inner: Db) => unknown) => work(trx) })
  return Object.assign(Object.create(trx), { transaction })
}
