import { type Kysely, sql } from 'kysely'

/**
 * APPR-11: programs that answer questions. `approval_showing`: which question was sent whole to which of them; it ends with the
 * token, since whoever gets the name next was shown nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table api_token (
      token_sha256 text primary key,
      caller_id text not null unique references caller on delete cascade,
      created_at timestamptz not null default now(),
      last_used_at timestamptz
    )`.execute(db)
  await sql`
    create table approval_showing (
      approval_id uuid not null references approval on delete cascade,
      caller_id text not null references api_token (caller_id) on delete cascade,
      shown_at timestamptz not null default now(),
      primary key (approval_id, caller_id)
    )`.execute(db)
}
