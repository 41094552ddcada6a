import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import type { Db, Schema } from '../schema.ts'

/**
 * Locks the head of a chain until the transaction ends, creating it if needed, and returns it with the current time and
 * the pseudonyms of `people`. It is last in the lock order. The lock makes sequence numbers unique, since the table is
 * partitioned and has no index across partitions.
 */
export async function lockHead(
  db: Db,
  chain: string,
  people: readonly string[] = [],
): Promise<{ seq: number; hash: string; at: Date; aliases: Readonly<Record<string, string>> }> {
  return db
    .insertInto('audit_head')
    .values({ chain, seq: 0, hash: '' })
    .onConflict((conflict) => conflict.column('chain').doUpdateSet({ chain }))
    .returning(['seq', 'hash', sql<Date>`clock_timestamp()`.as('at'), aliasesOf(people)])
    .executeTakeFirstOrThrow()
}

/** SQL for existing pseudonyms by caller id. */
function aliasesOf(people: readonly string[]) {
  return sql<Readonly<Record<string, string>>>`(
    select coalesce(json_object_agg(caller_id, alias), '{}') from audit_person
    where caller_id = any(${[...people]}::text[])
  )`.as('aliases')
}

/** Appends a row and advances the head of its chain. */
export async function appendAudit(
  db: Db,
  row: Omit<Insertable<Schema['audit_log']>, 'id'>,
): Promise<void> {
  const { chain, seq, hash } = row
  await db
    .with('head', (query) =>
      query.updateTable('audit_head').set({ seq, hash }).where('chain', '=', chain),
    )
    .insertInto('audit_log')
    .values(row)
    .execute()
}

/** WEB-07: true if the web requests of a call are already recorded, so that a repeated result does not record them again. */
export async function hasHops(db: Db, callId: string): Promise<boolean> {
  const found = await db
    .selectFrom('audit_log')
    .select('id')
    .where('call_id', '=', callId)
    .where('kind', '=', 'hop')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const time = rows[0]?.now
  if (time === undefined) throw new Error('the database did not tell the time')
  return time
}

/** Returns chain heads after `afterChain`, ordered by chain. */
export function findHeads(db: Db, afterChain: string, limit: number) {
  return db
    .selectFrom('audit_head')
    .selectAll()
    .where('chain', '>', afterChain)
    .orderBy('chain')
    .limit(limit)
    .execute()
}

export function findHead(db: Db, chain: string) {
  return db.selectFrom('audit_head').selectAll().where('chain', '=', chain).executeTakeFirst()
}

/** Returns a page of a chain's rows in order, including duplicate positions and rows off sequence. */
export function findChain(
  db: Db,
  chain: string,
  after: { readonly seq: number; readonly at: Date } | undefined,
  limit: number,
) {
  const query = db.selectFrom('audit_log').selectAll().where('chain', '=', chain)
  const rest =
    after === undefined ? query : query.where(sql<boolean>`(seq, at) > (${after.seq}, ${after.at})`)
  return rest.orderBy('seq').orderBy('at').limit(limit).execute()
}

/** Returns heads that moved since the last checkpoint and marks them as checked. */
export function takeMovedHeads(db: Db) {
  return db
    .updateTable('audit_head')
    .set((eb) => ({ checked_seq: eb.ref('seq') }))
    .whereRef('seq', '!=', 'checked_seq')
    .returning(['chain', 'seq', 'hash'])
    .execute()
}

export async function insertCheckpoint(
  db: Db,
  checkpoint: { at: Date; body: string; kid: string; signature: string },
): Promise<void> {
  await db.insertInto('audit_checkpoint').values(checkpoint).execute()
}

/** Returns signed checkpoints after an id, oldest first. */
export function findCheckpoints(db: Db, afterId: number, limit: number) {
  return db
    .selectFrom('audit_checkpoint')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Returns chains that have rows but no head, which means that the head was removed. */
export async function findHeadlessChains(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_log')
    .leftJoin('audit_head', 'audit_head.chain', 'audit_log.chain')
    .select('audit_log.chain')
    .distinct()
    .where('audit_head.chain', 'is', null)
    .execute()
  return rows.map((row) => row.chain)
}
