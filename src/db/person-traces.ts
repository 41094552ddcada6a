import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** What names somebody in text. */
export interface PersonNames {
  /** Their account, and each username that was resolved to it behind an `@`: these mean nobody else. */
  readonly exact: readonly string[]
  /** Their display name, which others may have, and which may be a word; undefined: it is too short to look for. */
  readonly display: string | undefined
}

/** Rows of one table in which somebody is still named. */
export interface PersonTraces {
  readonly table: string
  readonly rows: number
}

/** To be read before the person is deleted. */
export async function readNames(db: Db, callerId: string): Promise<PersonNames> {
  const caller = await db
    .selectFrom('caller')
    .select('name')
    .where('id', '=', callerId)
    .executeTakeFirst()
  const pins = await db
    .selectFrom('username_pin')
    .select('username')
    .where('caller_id', '=', callerId)
    .execute()
  const display = caller?.name.trim()
  return {
    exact: [callerId, ...pins.map(({ username }) => `@${username}`)],
    display: display === undefined || display.length < 3 ? undefined : display,
  }
}

/** Text that the product itself wrote, and that no hash covers. */
const ownWords = [
  ['outbox', 'body'],
  ['outbox', 'failure'],
  ['approval', 'card'],
  ['turn', 'failure'],
  ['inbound_event', 'failure'],
  ['inbound_event', 'answer'],
] as const

/** Puts `alias` in the place of accounts and usernames within the product's own words. */
export async function hideNames(db: Db, { exact }: PersonNames, alias: string): Promise<void> {
  const pattern = patternOf(exact)
  for (const [table, column] of ownWords) {
    const text = sql.ref(column)
    await sql`
      update ${sql.table(table)} set ${text} = regexp_replace(${text}, ${pattern}, ${`\\1${alias}`}, 'gi')
      where ${text} ~* ${pattern}`.execute(db)
  }
}

/** Counts rows whose text holds one of the names as a word, in every table; reads all of them. */
export async function countTraces(
  db: Db,
  { exact, display }: PersonNames,
): Promise<readonly PersonTraces[]> {
  const pattern = patternOf(display === undefined ? exact : [...exact, display])
  const { rows: tables } = await sql<{ table: string; columns: readonly string[] }>`
    select c.relname as table, array_agg(a.attname::text) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.atttypid in ('text'::regtype, 'json'::regtype, 'jsonb'::regtype)
    group by c.relname order by c.relname`.execute(db)
  const traces: PersonTraces[] = []
  for (const { table, columns } of tables) {
    const texts = sql.join(columns.map((column) => sql`${sql.ref(column)}::text`))
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)}
      where concat_ws(chr(10), ${texts}) ~* ${pattern}`.execute(db)
    const count = rows[0]?.count ?? 0
    if (count > 0) traces.push({ table, rows: count })
  }
  return traces
}

/**
 * A regular expression of PostgreSQL: one of the texts, as it stands or within JSON, as a name of its own and no part of a longer
 * one (`console:ada` is not in `console:ada-admin`); the first group is what stands before it.
 */
function patternOf(texts: readonly string[]): string {
  const forms = new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))
  const literal = [...forms].map((text) => text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&'))
  // A line break of JSON stands there as two characters.
  return `(^|\\\\[nrtbf]|[^[:alnum:]_.-])(?:${literal.join('|')})(?![.-]?[[:alnum:]_])`
}
