import { type Kysely, sql } from 'kysely'

/**
 * Brings databases in line that took steps of the first days before those got their final text. Each statement changes nothing
 * where the database is as it should be.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await columns(db)
  await sql`drop index if exists caller_name`.execute(db)
  await indexes(db)
  await auditIndexes(db)
  await uploads(db)
}

async function columns(db: Kysely<unknown>): Promise<void> {
  await sql`alter table turn add column if not exists crashes integer not null default 0`.execute(
    db,
  )
  // Questions of then are shown as those of a box that does not confine: the stricter of both.
  await sql`alter table approval add column if not exists confined boolean not null default false`.execute(
    db,
  )
  await sql`alter table approval alter column confined drop default`.execute(db)
  await sql`
    alter table outbox
    add column if not exists claimed_until timestamptz,
    add column if not exists is_cut boolean not null default false`.execute(db)
  await sql`alter table inbound_event add column if not exists not_before timestamptz`.execute(db)
  // Agents say that they live every few seconds, so a row that goes comes again.
  await sql`
    do $$ begin
      if not exists (
        select from pg_attribute
        where attrelid = 'agent'::regclass and attname = 'live_key' and not attisdropped
      ) then
        delete from agent;
        alter table agent add column live_key text not null;
      end if;
    end $$`.execute(db)
}

async function indexes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index if not exists outbox_in_parts on outbox (conversation_id) where parts <> '[]'`.execute(
    db,
  )
  await sql`
    create index if not exists conversation_chat
    on conversation (platform, split_part(external_id, '/', 1))`.execute(db)
  await sql`
    create index if not exists inbound_event_counted on inbound_event (caller_id, arrival)
    where not_before is not null`.execute(db)
  await sql`create index if not exists tool_overflow_session on tool_overflow (session_id)`.execute(
    db,
  )
}

/** Indexes of the audit that had no columns beside their key. */
async function auditIndexes(db: Kysely<unknown>): Promise<void> {
  const wanted: readonly (readonly [string, string])[] = [
    [
      'audit_log_denied',
      `(at, id) include (verdict, approval_state, decided_by, said_by, rule, caller_id)
        where kind = 'decided' and (verdict = 'deny' or approval_state in ('denied', 'expired'))`,
    ],
    [
      'audit_log_approval',
      `(at, id) include (approval_id, approval_state, decided_by, asked_at, answered_at, caller_id, tool)
        where kind = 'decided' and approval_id is not null`,
    ],
    [
      'audit_log_egress',
      `(at, id) include (hosts, caller_id)
        where kind = 'decided' and verdict <> 'deny' and hosts is not null`,
    ],
  ]
  for (const [name, definition] of wanted) {
    const { rows } = await sql`
      select from pg_indexes
      where schemaname = current_schema() and indexname = ${name} and indexdef like '%INCLUDE%'`.execute(
      db,
    )
    if (rows.length > 0) continue
    await sql`drop index if exists ${sql.ref(name)}`.execute(db)
    await sql`create index ${sql.ref(name)} on audit_log ${sql.raw(definition)}`.execute(db)
  }
}

/** An upload whose file is gone keeps its row: a check of the first day forbade that. */
async function uploads(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ declare former text; begin
      for former in
        select conname from pg_constraint
        where conrelid = 'upload'::regclass and contype = 'c'
          and pg_get_constraintdef(oid) = 'CHECK (((state <> ''kept''::text) OR (attachment_id IS NOT NULL)))'
      loop
        execute format('alter table upload drop constraint %I', former);
      end loop;
    end $$`.execute(db)
}
