import { sql } from 'kysely'
import type { TestDatabase } from './database/database.ts'

/** Everything that steps make in a database, a line each, so that two databases can be compared. */
export async function fingerprint({ db }: TestDatabase): Promise<readonly string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' | ', 'column', table_name, column_name, data_type, is_nullable, column_default,
        is_generated, identity_generation) as line
      from information_schema.columns where table_schema = 'public'
    union all select 'index | ' || indexdef from pg_indexes where schemaname = 'public'
    union all select concat_ws(' | ', 'constraint', conrelid::regclass, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select concat_ws(' | ', 'view', viewname, definition)
      from pg_views where schemaname = 'public'
    union all select concat_ws(' | ', 'function', pg_get_functiondef(oid), proacl::text)
      from pg_proc where pronamespace = 'public'::regnamespace
    union all select 'trigger | ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    order by 1`.execute(db)
  return rows.map(({ line }) => line)
}
