import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** Texts that identify a person. */
export interface PersonNames {
  /** The account id, and each username resolved to it with a leading `@`; these are unique. */
  readonly exact: readonly string[]
  /** Display name, which may be shared or a common word; undefined if it is too short to search for. */
  readonly display: string | undefined
}

/** Number of rows of a table that still name a person. */
export interface PersonTraces {
  readonly table: string
  readonly rows: number
}

/** Reads the names of a person. Call before the person is deleted. */
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

/** Text columns written by the product itself and not covered by a hash. */
const productTexts = [
  ['outbox', 'body'],
  ['outbox', 'failure'],
  ['approval', 'card'],
  ['turn', 'failure'],
  ['inbound_event', 'failure'],
  ['inbound_event', 'answer'],
] as const

/** Replaces account ids and usernames by `alias` in text written by the product. */
export async function replaceNames(db: Db, { exact }: PersonNames, alias: string): Promise<void> {
  const pattern = patternOf(exact)
  for (const [table, column] of productTexts) {
    const text = sql.ref(column)
    await sql`
      update ${sql.table(table)} set ${text} = regexp_replace(${text}, ${pattern}, ${`\\1${alias}`}, 'gi')
      where ${text} ~* ${pattern}`.execute(db)
  }
}

/** Counts rows of all tables that contain one of the names as a word; reads every row. */
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
 * Builds a PostgreSQL regular expression that matches one of the texts, plain or JSON-escaped, as a whole name
 * (`console:ada` does not match in `console:ada-admin`). The first group is the text before it.
 */
function patternOf(texts: readonly string[]): string {
  const forms = new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))
  const literal = [...forms].map((text) => text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&'))
  // JSON writes a line break as two characters.
  return `(^|\\\\[nrtbf]|[^[:alnum:]_.-])(?:${literal.join('|')})(?![.-]?[[:alnum:]_])`
}
