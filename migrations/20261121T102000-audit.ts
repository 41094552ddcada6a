import { type Kysely, sql } from 'kysely'

/** The audit log: append-only, hash-chained a session, its heads signed. No foreign keys: it outlives everything. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tables(db)
  await appendOnly(db)
}

async function tables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_log (
      id bigint generated always as identity primary key,
      chain text not null,
      seq bigint not null,
      previous_hash text not null,
      hash text not null,
      at timestamptz not null,
      kind text not null,
      session_id uuid,
      turn_id uuid,
      call_id uuid,
      tool text,
      caller_id text,
      verdict text,
      result text,
      body text not null,
      unique (chain, seq)
    )`.execute(db)
  await sql`create index audit_log_at on audit_log (at)`.execute(db)
  await sql`create index audit_log_caller on audit_log (caller_id, id)`.execute(db)
  await sql`create index audit_log_call on audit_log (call_id)`.execute(db)
  await sql`
    create table audit_head (
      chain text primary key,
      seq bigint not null,
      hash text not null,
      checked_seq bigint not null default 0
    )`.execute(db)
  await sql`
    create table audit_checkpoint (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      body text not null,
      kid text not null,
      signature text not null
    )`.execute(db)
}

async function appendOnly(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  for (const table of ['audit_log', 'audit_checkpoint']) {
    await sql`
      create trigger append_only before update or delete or truncate on ${sql.table(table)}
      for each statement execute function refuse_change()`.execute(db)
  }
}
