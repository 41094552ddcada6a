import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import type { Db, Schema } from '../schema.ts'

/**
 * The end of a chain, locked until the transaction ends, and the time at which it was; made when the chain is new; with the
 * pseudonyms of `people`. Last in the lock order. The lock is what gives each place in a chain to one row: the table is in partitions, and no index
 * of it spans them.
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

/** Their pseudonyms, as far as they have one, by caller id. */
function aliasesOf(people: readonly string[]) {
  return sql<Readonly<Record<string, string>>>`(
    select coalesce(json_object_agg(caller_id, alias), '{}') from audit_person
    where caller_id = any(${[...people]}::text[])
  )`.as('aliases')
}

/** Adds a row and moves the head of its chain to it. */
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

/** WEB-07: whether it is recorded what a call asked the web for. A result that is sent again must not be recorded again. */
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

/** Ends of chains, in order, a window at a time. */
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

/** A chain's rows in order, a window at a time; also those that stand at a place twice or at none. */
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

/** Heads that moved since the last checkpoint, or are noted as checked further than they are; noted as checked. */
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

/** Signed heads, the oldest first, a window at a time. */
export function findCheckpoints(db: Db, afterId: number, limit: number) {
  return db
    .selectFrom('audit_checkpoint')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Chains that have rows but no head: somebody removed it. */
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
