import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { linkHash, record } from '../../../src/core/audit/record.ts'
import { verifyChains } from '../../../src/core/audit/verify-chains.ts'
import { appendAudit } from '../../../src/db/audit/audit-log.ts'
import { ensureAuditPartitions, findOldPartitions } from '../../../src/db/audit/audit-partitions.ts'
import { appRole, grantAppRole, readerRole } from '../../../src/db/roles/grant-roles.ts'
import { waysToChangeAudit } from '../../../src/db/roles/ways-to-change-audit.ts'
import type { Db } from '../../../src/db/schema.ts'
import { createTestDatabase } from '../../support/database/database.ts'

const past = new Date().getUTCFullYear() - 2
const old = sql.table(`audit_log_${past}_05`)

/** A row as `record` writes it, at a time of our choice. */
async function append(db: Db, at: Date, last: { seq: number; hash: string }, fields: object = {}) {
  const said = { kind: 'command', chain: 'old', at: at.toISOString(), ...fields }
  const body = JSON.stringify(said)
  const seq = last.seq + 1
  const hash = linkHash(last.hash, 'old', seq, body)
  await sql`insert into audit_head (chain, seq, hash) values ('old', 0, '') on conflict do nothing`.execute(
    db,
  )
  const columns = { session_id: null, turn_id: null, call_id: null, tool: null, caller_id: null }
  const { kind, result = null } = said as { kind: string; result?: string }
  const row = { chain: 'old', seq, previous_hash: last.hash, hash, at, kind, body }
  await appendAudit(db, { ...columns, verdict: null, result, ...row } as never)
  return { seq, hash }
}

const unsigned = () => true

async function partitionsOf(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'audit_log'::regclass order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

test('AUD-03 a row is written even if its month has no partition', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const far = new Date(`${past}-05-06T07:08:09.010Z`)
  const last = await append(db, far, { seq: 0, hash: '' })
  await append(db, new Date(`${past}-06-01T00:00:00Z`), last)
  expect(await partitionsOf(db)).not.toContain(`audit_log_${past}_05`)
  expect((await verifyChains(db, unsigned)).broken).toEqual([])

  expect(await ensureAuditPartitions(db)).toBe(2)
  expect(await ensureAuditPartitions(db)).toBe(0)
  const { rows } = await sql`
    select tableoid::regclass::text as place from audit_log order by seq`.execute(db)
  expect(rows).toEqual([{ place: `audit_log_${past}_05` }, { place: `audit_log_${past}_06` }])
  expect(await verifyChains(db, unsigned)).toMatchObject({ rows: 2, broken: [] })
})

test('AUD-03 rows with impossible times block neither new months nor retention', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  let last = { seq: 0, hash: '' }
  for (const year of [2300, 2301, 2302]) {
    last = await append(db, new Date(`${year}-01-01T00:00:00Z`), last)
  }
  await sql`
    insert into audit_log (chain, seq, previous_hash, hash, at, kind, body)
    values ('odd', 1, '', 'x', 'infinity', 'command', '{}'), ('odd', 2, 'x', 'y', '-infinity', 'command', '{}')
  `.execute(db)
  const before = await partitionsOf(db)
  expect(await ensureAuditPartitions(db)).toBe(0)
  expect(await partitionsOf(db)).toEqual(before)
})

test('AUD-02 rows can be changed or deleted in no partition', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const last = await append(db, new Date(`${past}-05-06T00:00:00Z`), { seq: 0, hash: '' })
  await ensureAuditPartitions(db)
  await append(db, new Date('2032-05-06T00:00:00Z'), last)
  for (const table of ['audit_log', ...(await partitionsOf(db))]) {
    const name = sql.table(table)
    await expect(sql`update ${name} set tool = 'x'`.execute(db)).rejects.toThrow('append-only')
    await expect(sql`delete from ${name}`.execute(db)).rejects.toThrow('append-only')
    await expect(sql`truncate ${name}`.execute(db)).rejects.toThrow('append-only')
  }
  await sql`create table by_hand (like audit_log including defaults)`.execute(db)
  await sql`insert into by_hand select * from audit_log where at < '2032-01-01'`.execute(db)
  await sql`update by_hand set at = '2041-05-06'`.execute(db)
  await sql`
    alter table audit_log attach partition by_hand
    for values from ('2041-01-01') to ('2042-01-01')`.execute(db)
  await expect(sql`delete from by_hand`.execute(db)).rejects.toThrow('append-only')
  await expect(sql`update by_hand set tool = 'x'`.execute(db)).rejects.toThrow('append-only')
})

test('AUD-02 the app role can append rows and create months ahead, and do nothing else', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await grantAppRole(db)
  await db.transaction().execute((trx) => record(trx, { kind: 'command', chain: 'system' }))
  const as = <T>(role: string, work: (trx: Db) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (trx) => {
      await sql`set local role ${sql.id(role)}`.execute(trx)
      return work(trx)
    })
  await as(appRole, (trx) => record(trx, { kind: 'command', chain: 'system' }))
  await as(appRole, (trx) => append(trx, new Date(`${past}-05-06T00:00:00Z`), { seq: 0, hash: '' }))
  const made = await as(appRole, (trx) =>
    sql<{ n: number }>`select ensure_audit_partitions() as n`.execute(trx),
  )
  expect(made.rows).toEqual([{ n: 1 }])
  expect(await as(appRole, (trx) => waysToChangeAudit(trx))).toEqual([])
  expect(await waysToChangeAudit(db)).not.toEqual([])
  const forbidden: readonly ((trx: Db) => Promise<unknown>)[] = [
    (trx) => sql`delete from ${old}`.execute(trx),
    (trx) => sql`update audit_log_default set tool = 'x'`.execute(trx),
    (trx) => sql`drop table ${old}`.execute(trx),
    (trx) => sql`alter table audit_log detach partition ${old}`.execute(trx),
    (trx) => sql`select make_audit_partition('2050-01-01')`.execute(trx),
    (trx) => sql`delete from audit_head`.execute(trx),
    (trx) =>
      sql`insert into audit_cut (at, body, kid, signature) values (now(), '', '', '')`.execute(trx),
  ]
  for (const work of forbidden) {
    await expect(as(appRole, work)).rejects.toThrow(/permission denied|must be owner/)
  }
  for (const view of ['audit_calls', 'audit_approvals', 'tool_health', 'audit_log', 'audit_cut']) {
    await as(readerRole, (trx) => sql`select * from ${sql.table(view)}`.execute(trx))
  }
  for (const table of ['message', 'callback_token', 'pairing_code']) {
    const reading = as(readerRole, (trx) => sql`select * from ${sql.table(table)}`.execute(trx))
    await expect(reading).rejects.toThrow('permission denied')
  }
})

test('AUD-03 months are old when every row of them is, the oldest first', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  for (const month of ['2020-02-01', '2019-12-01']) {
    await sql`select make_audit_partition(${month}::timestamp)`.execute(db)
  }
  const old = await findOldPartitions(db, 30)
  expect(old).toEqual([
    { name: 'audit_log_2019_12', beyond: new Date('2020-01-01T00:00:00Z') },
    { name: 'audit_log_2020_02', beyond: new Date('2020-03-01T00:00:00Z') },
  ])
  expect(await findOldPartitions(db, 36_500)).toEqual([])
})
