import { type Kysely, sql } from 'kysely'

/**
 * What only we know of a tool, so that no server can choose the code that approves it; when operators were asked about it and
 * a server last had it; and the description that a call was sent for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table mcp_tool
      add column nonce text not null default gen_random_uuid()::text,
      add column asked_at timestamptz,
      add column offered_at timestamptz not null default now()`.execute(db)
  await sql`alter table tool_call add column pin text`.execute(db)
}
