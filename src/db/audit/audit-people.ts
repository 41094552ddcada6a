import { sql } from 'kysely'
import type { Db } from '../schema.ts'

export interface AuditPerson {
  readonly caller_id: string
  readonly alias: string
  readonly key: Buffer
}

/** Inserts pseudonyms for people who have none; returns the pseudonyms of all, including those inserted concurrently. */
export async function insertAuditPeople(
  db: Db,
  people: readonly AuditPerson[],
): Promise<ReadonlyMap<string, string>> {
  await db
    .insertInto('audit_person')
    .values([...people])
    .onConflict((conflict) => conflict.column('caller_id').doNothing())
    .execute()
  const ids = people.map(({ caller_id }) => caller_id)
  const rows = await db
    .selectFrom('audit_person')
    .select(['caller_id', 'alias'])
    .where('caller_id', '=', sql<string>`any(${ids}::text[])`)
    .execute()
  return new Map(rows.map(({ caller_id, alias }) => [caller_id, alias]))
}

/** SQL for a caller's keys in `audit_log`: the pseudonym, and the id itself as used in older rows. */
export function auditKeysOf(callerIds: readonly string[]) {
  return sql<string>`any(array(
    select alias from audit_people where caller_id = any(${[...callerIds]}::text[])
    union all select unnest(${[...callerIds]}::text[])
  ))`
}

/** Returns caller ids by pseudonym, except for people who were forgotten. */
export async function findAuditNames(
  db: Db,
  aliases: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (aliases.length === 0) return new Map()
  const rows = await db
    .selectFrom('audit_people')
    .select(['alias', 'caller_id'])
    .where('alias', '=', sql<string>`any(${[...aliases]}::text[])`)
    .execute()
  return new Map(rows.map(({ alias, caller_id }) => [alias, caller_id]))
}

/** Returns pseudonyms after an id, ordered by id, in pages. */
export function findAuditPeople(db: Db, after: string, limit: number): Promise<AuditPerson[]> {
  return db
    .selectFrom('audit_person')
    .selectAll()
    .where('caller_id', '>', after)
    .orderBy('caller_id')
    .limit(limit)
    .execute()
}

/** Returns pseudonyms used in the audit that belong to no known person. */
export async function findUnknownAliases(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ alias: string }>`
    select alias from (
      select caller_id as alias from audit_log where caller_id like 'person:%' group by caller_id
      union
      select decided_by from audit_log where decided_by like 'person:%' group by decided_by
    ) used
    where not exists (select from audit_person p where p.alias = used.alias)
    order by alias`.execute(db)
  return rows.map(({ alias }) => alias)
}

/** Deletes a person's pseudonym and key; returns the pseudonym. */
export async function deleteAuditPerson(db: Db, callerId: string): Promise<string | undefined> {
  const row = await db
    .deleteFrom('audit_person')
    .where('caller_id', '=', callerId)
    .returning('alias')
    .executeTakeFirst()
  return row?.alias
}

/** Formats the audit note that records that a person was forgotten. */
export function forgottenNote(alias: string): string {
  return `forgot ${alias}`
}

/** Returns the pseudonyms that the audit records as forgotten. */
export async function findForgotten(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ alias: string }>`
    select substr(note, length('forgot ') + 1) as alias
    from audit_log cross join lateral (select audit_body(body) ->> 'note' as note offset 0) body
    where chain = 'system' and kind = 'command' and note like 'forgot person:%'`.execute(db)
  return new Set(rows.map(({ alias }) => alias))
}
