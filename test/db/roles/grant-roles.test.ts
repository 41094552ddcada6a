import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ensureAuditPartitions } from '../../../src/db/audit/audit-partitions.ts'
import { appRole, grantAppRole, readerRole } from '../../../src/db/roles/grant-roles.ts'
import { waysToChangeAudit } from '../../../src/db/roles/ways-to-change-audit.ts'
import type { Db } from '../../../src/db/schema.ts'
import { createTestDatabase } from '../../support/database/database.ts'

const app = sql.id(appRole)

async function asApp(db: Db, statement: string): Promise<unknown> {
  return db.transaction().execute(async (trx) => {
    await sql`set local role ${app}`.execute(trx)
    return sql.raw(statement).execute(trx)
  })
}

test('AUD-02 no view lets the app role write with its owner’s rights', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await grantAppRole(db)
  for (const statement of [
    'delete from audit_approvals',
    'update audit_denials set tool = null',
    'insert into audit_egress (at) values (now())',
    'truncate audit_log',
  ]) {
    await expect(asApp(db, statement), statement).rejects.toThrow('permission denied')
  }
})

test('AUD-02 the app role cannot replace a function that runs with the owner’s rights', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const trap = `
    create function public.pg_advisory_xact_lock(integer) returns void
    language plpgsql as $$ begin raise exception 'run as %', current_user; end $$`
  // As PostgreSQL was up to version 14, and as a database upgraded from it still is.
  await sql`grant create on schema public to public`.execute(db)
  await grantAppRole(db)
  await expect(asApp(db, trap)).rejects.toThrow('permission denied for schema public')
  // One that somebody else made is not run all the same.
  await sql.raw(trap).execute(db)
  await sql`drop table ${sql.table(await newestMonth(db))}`.execute(db)
  const made = await asApp(db, 'select ensure_audit_partitions() as made')
  expect(made).toMatchObject({ rows: [{ made: 1 }] })
})

test('AUD-02 default privileges give no rights on a month', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await grantAppRole(db)
  await sql`alter default privileges grant all on tables to ${app}`.execute(db)
  await sql`alter default privileges grant select, delete on tables to public`.execute(db)
  const month = await newestMonth(db)
  await sql`drop table ${sql.table(month)}`.execute(db)
  expect(await ensureAuditPartitions(db)).toBe(1)
  const given = async () =>
    (
      await sql`
        select grantee from pg_class, aclexplode(relacl)
        where oid = to_regclass(${month}) and grantee <> relowner`.execute(db)
    ).rows
  expect(await given()).toEqual([])
  expect(await waysToChangeAudit(db, appRole)).toEqual([])
  await expect(asApp(db, `select from ${month}`)).rejects.toThrow('permission denied')
  // A table created by a migration gives the app no more than it needs.
  await sql`create table made_later (id int)`.execute(db)
  await grantAppRole(db)
  await expect(asApp(db, 'truncate made_later')).rejects.toThrow('permission denied')
  await asApp(db, 'insert into made_later values (1)')
})

test('AUD-02 only the owner, the app and the reader come into the database', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const may = async (role: string) =>
    (
      await sql<{ may: boolean }>`
        select has_database_privilege(${role}, current_database(), 'connect') as may`.execute(db)
    ).rows[0]?.may
  expect(await may('pg_monitor')).toBe(true)
  await grantAppRole(db)
  expect(await may('pg_monitor')).toBe(false)
  for (const role of [appRole, readerRole]) expect(await may(role), role).toBe(true)
})

test('STORE-02 concurrent migrations both grant the rights', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await Promise.all(Array.from({ length: 4 }, () => grantAppRole(db)))
  expect(await waysToChangeAudit(db, appRole)).toEqual([])
})

async function newestMonth(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select max(relname::text) as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'audit_log'::regclass and relname <> 'audit_log_default'`.execute(db)
  return rows[0]?.name ?? ''
}
