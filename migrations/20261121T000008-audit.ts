import { type Kysely, sql } from 'kysely'

/**
 * The audit log: append-only, one hash chain a session, in partitions of a UTC month, with signed heads and signed records of
 * what retention dropped. It has no foreign keys, since it outlives everything else.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tables(db)
  await appendOnly(db)
  await bodies(db)
  await indexes(db)
}

async function tables(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence audit_log_number`.execute(db)
  await sql`
    create table audit_log (
      id bigint not null default nextval('audit_log_number'),
      chain text not null,
      seq bigint not null,
      previous_hash text not null,
      hash text not null,
      at timestamptz(3) not null,
      kind text not null,
      session_id uuid,
      turn_id uuid,
      call_id uuid,
      tool text,
      caller_id text,
      verdict text,
      result text,
      approval_id uuid,
      approval_state text,
      decided_by text,
      asked_at timestamptz(3),
      answered_at timestamptz(3),
      error_category text,
      duration_ms integer,
      said_by text,
      rule text,
      hosts text[],
      body text not null,
      primary key (at, id),
      unique (chain, seq, at)
    ) partition by range (at)`.execute(db)
  await sql`alter sequence audit_log_number owned by audit_log.id`.execute(db)
  await sql`create table audit_log_default partition of audit_log default`.execute(db)
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
  await sql`
    create table audit_cut (
      id bigint generated always as identity primary key,
      at timestamptz(3) not null,
      body text not null,
      kid text not null,
      signature text not null
    )`.execute(db)
}

/** The trigger of rows holds on every partition that is ever attached; those of statements also where no row is met. */
async function appendOnly(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  await sql`
    create trigger append_only_row before update or delete on audit_log
    for each row execute function refuse_change()`.execute(db)
  for (const table of ['audit_log', 'audit_log_default', 'audit_checkpoint', 'audit_cut']) {
    await sql`
      create trigger append_only before update or delete or truncate on ${sql.table(table)}
      for each statement execute function refuse_change()`.execute(db)
  }
}

/** A body may hold what jsonb refuses, and one that was tampered with may be no JSON: neither breaks a query. */
async function bodies(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function audit_body(body text) returns jsonb
    language plpgsql immutable strict cost 100 as $$
    begin
      return body::jsonb;
    exception when others then
      begin
        return regexp_replace(body, ${sql.lit(refused)}, ${sql.lit(instead)}, 'g')::jsonb;
      exception when others then
        return '{}'::jsonb;
      end;
    end $$`.execute(db)
}

/** An escape of NUL or of half a pair, the backslashes before it being escaped ones. */
const refused = String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})`
const instead = String.raw`\1\\ufffd`

/** Each filter alone and each pair of them is answered in the order of time by one of these. */
async function indexes(db: Kysely<unknown>): Promise<void> {
  const plain: readonly (readonly [string, string])[] = [
    ['call', '(call_id)'],
    ['session', '(session_id, at, id)'],
    ['caller', '(caller_id, at, id)'],
    ['tool', '(tool, at, id)'],
    ['verdict', '(verdict, at, id) where verdict is not null'],
    ['caller_tool', '(caller_id, tool, at, id)'],
    ['caller_verdict', '(caller_id, verdict, at, id) where verdict is not null'],
    ['tool_verdict', '(tool, verdict, at, id) where verdict is not null'],
    [
      'denied',
      `(at, id) include (verdict, approval_state, decided_by, said_by, rule, caller_id)
        where kind = 'decided' and (verdict = 'deny' or approval_state in ('denied', 'expired'))`,
    ],
    [
      'approval',
      `(at, id) include (approval_id, approval_state, decided_by, asked_at, answered_at, caller_id, tool)
        where kind = 'decided' and approval_id is not null`,
    ],
    ['decider', `(decided_by, at, id) where kind = 'decided' and approval_id is not null`],
    [
      'egress',
      `(at, id) include (hosts, caller_id)
        where kind = 'decided' and verdict <> 'deny' and hosts is not null`,
    ],
    [
      'ended',
      `(at) include (tool, caller_id, result, error_category, duration_ms) where kind = 'settled'`,
    ],
    ['other', `(kind, at, id) where kind not in ('decided', 'settled')`],
  ]
  for (const [name, on] of plain) {
    await sql`create index ${sql.id(`audit_log_${name}`)} on audit_log ${sql.raw(on)}`.execute(db)
  }
}
