import { type Kysely, sql } from 'kysely'

/**
 * The audit in partitions of a UTC month, with what is searched as columns, views for operators, and signed records of
 * what was dropped. Rows that exist are moved as they are: their text and hashes stay.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await bodies(db)
  await sql`alter table audit_log rename to audit_log_before`.execute(db)
  await partitionedTable(db)
  await appendOnly(db)
  await partitions(db)
  await moveRows(db)
  await indexes(db)
  await cuts(db)
  await comments(db)
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

/** Names are unique in a schema: what served the old table keeps its name and goes with it. */
async function partitionedTable(db: Kysely<unknown>): Promise<void> {
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
      body text not null
    ) partition by range (at)`.execute(db)
  await sql`alter sequence audit_log_number owned by audit_log.id`.execute(db)
  await sql`create table audit_log_default partition of audit_log default`.execute(db)
}

/** For each row, it holds on every partition that is ever attached; for each statement, also where no row is met. */
async function appendOnly(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger append_only_row before update or delete on audit_log
    for each row execute function refuse_change()`.execute(db)
  for (const table of ['audit_log', 'audit_log_default']) {
    await sql`
      create trigger append_only before update or delete or truncate on ${sql.table(table)}
      for each statement execute function refuse_change()`.execute(db)
  }
}

async function partitions(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  const path = sql`${sql.id(rows[0]?.schema ?? 'public')}, pg_temp`
  await makePartition(db)
  await ensurePartitions(db, path)
}

/** The month's rows that wait in the default partition go along. */
async function makePartition(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function make_audit_partition(month timestamp) returns void
    language plpgsql as $$
    declare
      name text := 'audit_log_' || to_char(month, 'YYYY_MM');
      first timestamptz := month at time zone 'UTC';
      beyond timestamptz := (month + interval '1 month') at time zone 'UTC';
    begin
      execute format('create table %I (like audit_log including defaults)', name);
      execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.05,
        autovacuum_analyze_scale_factor = 0.05)', name);
      if exists (select from audit_log_default where at >= first and at < beyond) then
        alter table audit_log_default disable trigger user;
        execute format('with moved as (
            delete from audit_log_default where at >= $1 and at < $2 returning *
          ) insert into %I select * from moved', name) using first, beyond;
        alter table audit_log_default enable trigger user;
      end if;
      execute format('create trigger append_only before update or delete or truncate on %I
        for each statement execute function refuse_change()', name);
      execute format('alter table audit_log attach partition %I for values from (%L) to (%L)',
        name, first, beyond);
    end $$`.execute(db)
  await sql`revoke execute on function make_audit_partition(timestamp) from public`.execute(db)
}

/**
 * Made with the owner's rights whoever calls it, since it can do nothing but this. Rows whose time cannot be true stay where
 * they are: a month each would be made for them, on and on.
 */
async function ensurePartitions(db: Kysely<unknown>, path: ReturnType<typeof sql>): Promise<void> {
  await sql`
    create function ensure_audit_partitions() returns integer
    language plpgsql security definer set search_path = ${path} as $$
    declare
      months timestamp[];
      wanted timestamp;
      made integer := 0;
    begin
      perform pg_advisory_xact_lock(hashtext('audit partitions'));
      months := array(
        select date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead)
        from generate_series(0, 3) ahead
        union
        select date_trunc('month', at at time zone 'UTC') from audit_log_default
        where at > now() - interval '5 years' and at < now() + interval '3 months'
        order by 1
      );
      foreach wanted in array months loop
        continue when to_regclass('audit_log_' || to_char(wanted, 'YYYY_MM')) is not null;
        perform make_audit_partition(wanted);
        made := made + 1;
      end loop;
      return made;
    end $$`.execute(db)
}

/** Of the checks that said what the verdict is, the first that names a rule; else the first. */
const decider = sql`
  select entry as decider
  from jsonb_array_elements(case when jsonb_typeof(b -> 'trace') = 'array' then b -> 'trace' end)
    with ordinality as spoken(entry, place)
  where entry ->> 'action' = b ->> 'verdict'
  order by entry ->> 'rule' is null, place limit 1`

async function moveRows(db: Kysely<unknown>): Promise<void> {
  await sql`
    select make_audit_partition(month) from (
      select distinct date_trunc('month', at at time zone 'UTC') as month from audit_log_before
    ) months`.execute(db)
  await sql`
    insert into audit_log
    select id, chain, seq, previous_hash, hash, at, kind, session_id, turn_id, call_id, tool,
      caller_id, verdict, result,
      case when b ->> 'approval_id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
        then (b ->> 'approval_id')::uuid end,
      b ->> 'approval_state', b ->> 'decided_by', null, null, b ->> 'error_category',
      case when jsonb_typeof(b -> 'duration_ms') = 'number'
        then greatest(least(round((b -> 'duration_ms')::numeric), 2147483647), 0)::integer end,
      decider ->> 'check', left(decider ->> 'rule', 200), null, body
    from audit_log_before
    cross join lateral (select audit_body(body) as b offset 0) parsed
    left join lateral (${decider}) decided on true
    order by id`.execute(db)
  await sql`
    select setval('audit_log_number', coalesce((select max(id) from audit_log_before), 0) + 1, false)`.execute(
    db,
  )
  await keepGrants(db)
  await sql`drop table audit_log_before`.execute(db)
  await sql`select ensure_audit_partitions()`.execute(db)
}

/** Roles that somebody gave rights on the old table have them on the new one; numbers come from a sequence now. */
async function keepGrants(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$
    declare given record;
    begin
      for given in
        select privilege_type as may,
          case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as who
        from pg_class, aclexplode(relacl)
        where oid = 'audit_log_before'::regclass and grantee <> relowner
      loop
        execute format('grant %s on audit_log to %s', given.may, given.who);
        if given.may = 'INSERT' then
          execute format('grant usage on sequence audit_log_number to %s', given.who);
        end if;
      end loop;
    end $$`.execute(db)
}

/** Each filter alone and each pair of them is answered in the order of time by one of these. */
async function indexes(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_log add constraint audit_log_pkey primary key (at, id)`.execute(db)
  await sql`
    alter table audit_log add constraint audit_log_chain_seq_at_key unique (chain, seq, at)`.execute(
    db,
  )
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
  await sql`create index session_by_conversation on session (conversation_id)`.execute(db)
}

/** What retention dropped: the last row of each chain, signed, so that what is left still proves where it goes on. */
async function cuts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_cut (
      id bigint generated always as identity primary key,
      at timestamptz(3) not null,
      body text not null,
      kid text not null,
      signature text not null
    )`.execute(db)
  await sql`
    create trigger append_only before update or delete or truncate on audit_cut
    for each statement execute function refuse_change()`.execute(db)
}

const meanings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  audit_log: {
    id: 'the number of the row; not without gaps',
    chain: 'the hash chain: the session, or system',
    seq: 'the place in its chain, from 1 on without gaps',
    previous_hash: 'the hash of the row before it in its chain; empty for the first',
    hash: 'SHA-256 of previous_hash, chain, seq and body, a line each',
    at: 'when, by the clock of the database',
    kind: 'decided, settled, late_result, dropped_result or command',
    session_id: 'the session',
    turn_id: 'the turn',
    call_id: 'the tool call',
    tool: 'the tool that was called',
    caller_id: 'whose turn it was',
    verdict: 'what the gate said last: allow, ask or deny',
    result: 'success, blocked, error, timeout, cancelled or interrupted',
    approval_id: 'the approval that was asked for',
    approval_state: 'how the approval ended',
    decided_by: 'who answered it',
    asked_at: 'when it was asked for',
    answered_at: 'when it was answered',
    error_category: 'why there is no ordinary result',
    duration_ms: 'how long it ran',
    said_by: 'the check of the gate that decided',
    rule: 'the rule by which it did',
    hosts: 'where it may reach over the network; empty: not told by its arguments; null: nowhere',
    body: 'the row as JSON: the text that was hashed; use audit_body(body) to look into it',
  },
  audit_cut: {
    id: 'the number of the row',
    at: 'when rows were dropped',
    body: 'up to when, how many rows, and the last dropped row of each chain: the text that was signed',
    kid: 'the key that signed it',
    signature: 'Ed25519 over body, base64',
  },
}

async function comments(db: Kysely<unknown>): Promise<void> {
  const tables = {
    audit_log: 'Every tool call: append-only, chained',
    audit_cut: 'What retention dropped',
  }
  for (const [table, about] of Object.entries(tables)) {
    await sql`comment on table ${sql.table(table)} is ${sql.lit(about)}`.execute(db)
    for (const [column, meaning] of Object.entries(meanings[table] ?? {})) {
      await sql`comment on column ${sql.ref(`${table}.${column}`)} is ${sql.lit(meaning)}`.execute(
        db,
      )
    }
  }
}
