import { type Kysely, sql } from 'kysely'

/**
 * Who is behind the pseudonyms of audit rows. The rows themselves name nobody: a person is forgotten by deleting theirs here,
 * and no row of the audit changes. Rows of before name people as they did.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_person (
      caller_id text primary key,
      alias text not null unique,
      key bytea not null check (octet_length(key) = 32)
    )`.execute(db)
  await sql`create view audit_people as select alias, caller_id from audit_person`.execute(db)
  await comment(db, sql`table audit_person`, 'alias = HMAC-SHA256(key, caller_id)')
  await comment(db, sql`view audit_people`, 'who is behind the pseudonyms in audit_log')
  await calls(db)
  await approvals(db)
  await denials(db)
  await byCaller(db)
  await egress(db)
  await approved(db)
}

async function comment(db: Kysely<unknown>, on: ReturnType<typeof sql>, text: string) {
  await sql`comment on ${on} is ${sql.lit(text)}`.execute(db)
}

/** The caller id that a column stands for; what is no pseudonym, or of somebody forgotten, stays. */
function named(column: string) {
  const ref = sql.ref(column)
  return sql`coalesce((select p.caller_id from audit_person p where p.alias = ${ref}), ${ref})`
}

/** As in the views before: how the call `d` ended. */
const ending = sql`
  audit_log s
  where s.call_id = d.call_id and s.kind = 'settled'
    and s.at between d.at - interval '1 hour' and d.at + interval '31 days'
  order by s.at, s.id limit 1`

async function calls(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace view audit_calls as
    select d.at, ${named('d.caller_id')} as caller_id, d.tool, b.d ->> 'arguments' as arguments,
      d.verdict, s.result,
      case when jsonb_typeof(b.s -> 'exit_code') = 'number'
        then (b.s -> 'exit_code')::numeric end as exit_code,
      s.duration_ms, s.error_category, b.s -> 'truncated' = 'true' as truncated,
      b.s -> 'cached' = 'true' as cached, s.at as ended_at,
      d.approval_id, d.approval_state, ${named('d.decided_by')} as decided_by, d.asked_at,
      d.answered_at, d.said_by, d.rule, b.d ->> 'policy_match' as policy_match,
      b.d -> 'trace' as trace, d.hosts,
      coalesce(b.s, b.d) ->> 'worker' as worker, b.s ->> 'replica' as replica,
      b.s ->> 'sandbox' as sandbox,
      case when jsonb_typeof(b.d -> 'attempt') = 'number'
        then (b.d -> 'attempt')::numeric end as attempt,
      b.t as envelope, b.d ->> 'note' as note,
      place.platform, place.external_id as conversation, d.session_id, d.turn_id, d.call_id,
      d.caller_id as caller_key
    from audit_log d
    left join lateral (select s.* from ${ending}) s on true
    left join tool_call call on call.id = d.call_id
    left join session on session.id = d.session_id
    left join conversation place on place.id = session.conversation_id
    cross join lateral (
      select audit_body(d.body) as d, audit_body(s.body) as s, audit_body(call.envelope) as t offset 0
    ) b
    where d.kind = 'decided' and not exists (
      select from audit_log later
      where later.call_id = d.call_id and later.kind = 'decided'
        and later.at between d.at and d.at + interval '31 days'
        and (later.at, later.id) > (d.at, d.id)
      offset 0
    )`.execute(db)
  await comment(
    db,
    sql`column audit_calls.caller_key`,
    'as audit_log has it: an alias of audit_people, or the caller id in rows of before; indexed',
  )
}

async function approvals(db: Kysely<unknown>): Promise<void> {
  const of = (column: string) =>
    sql`(select a.${sql.ref(column)} from approval a where a.id = d.approval_id)`
  const asked = sql`coalesce(d.asked_at, ${of('created_at')})`
  const answered = sql`coalesce(d.answered_at, ${of('decided_at')})`
  await sql`
    create or replace view audit_approvals as
    select d.at, ${asked} as asked_at, ${answered} as answered_at,
      ${answered} - ${asked} as time_to_decision, d.approval_state as state,
      ${named('d.decided_by')} as decided_by, ${of('reason')} as reason,
      ${named('d.caller_id')} as caller_id, d.tool,
      audit_body(d.body) ->> 'arguments' as arguments, ${of('risk')} as risk,
      d.approval_id, d.session_id, d.turn_id, d.call_id
    from audit_log d
    where d.kind = 'decided' and d.approval_id is not null`.execute(db)
}

async function denials(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace view audit_denials as
    select d.at, ${named('d.caller_id')} as caller_id, d.tool,
      audit_body(d.body) ->> 'arguments' as arguments,
      case when d.verdict = 'deny' then 'gate'
        when d.approval_state = 'expired' then 'time'
        else ${named('d.decided_by')} end as denied_by,
      case when d.verdict = 'deny' then d.said_by end as said_by,
      case when d.verdict = 'deny' then (
          select entry ->> 'reason' from jsonb_array_elements(
            case when jsonb_typeof(audit_body(d.body) -> 'trace') = 'array'
              then audit_body(d.body) -> 'trace' end
          ) with ordinality as spoken(entry, place)
          where entry ->> 'action' = 'deny'
          order by entry ->> 'rule' is null, place limit 1)
        else (select a.reason from approval a where a.id = d.approval_id) end as reason,
      case when d.verdict = 'deny' then d.rule end as rule,
      audit_body(d.body) ->> 'policy_match' as policy_match,
      d.approval_id, d.session_id, d.turn_id, d.call_id
    from audit_log d
    where d.kind = 'decided'
      and (d.verdict = 'deny' or d.approval_state in ('denied', 'expired'))`.execute(db)
}

/** Somebody has two rows on the day of the upgrade. */
async function byCaller(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace view audit_by_caller as
    select days.day::date as day, counted.caller_id, caller.name, counted.calls, counted.succeeded,
      counted.failed, counted.blocked, counted.cancelled, counted.last_at
    from generate_series(
      (select date_trunc('day', min(at) at time zone 'UTC') from audit_log),
      now() at time zone 'UTC', interval '1 day'
    ) as days(day)
    cross join lateral (
      select ${named('d.caller_id')} as caller_id, count(*) as calls,
        count(*) filter (where d.result = 'success') as succeeded,
        count(*) filter (where d.result in ('error', 'timeout', 'interrupted')) as failed,
        count(*) filter (where d.result = 'blocked') as blocked,
        count(*) filter (where d.result = 'cancelled') as cancelled,
        max(d.at) as last_at
      from audit_log d
      where d.kind = 'settled' and d.at >= days.day at time zone 'UTC'
        and d.at < (days.day + interval '1 day') at time zone 'UTC'
      group by d.caller_id
    ) counted
    left join caller on caller.id = counted.caller_id`.execute(db)
}

async function egress(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace view audit_egress as
    select d.at, ${named('d.caller_id')} as caller_id, d.tool, d.hosts,
      audit_body(d.body) ->> 'arguments' as arguments, d.verdict,
      ${named('d.decided_by')} as decided_by, (select s.result from ${ending}) as result,
      d.session_id, d.turn_id, d.call_id,
      (
        select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
          'at', h.at, 'method', b -> 'method', 'url', b -> 'url', 'address', b -> 'address',
          'status', b -> 'status', 'bytes', b -> 'bytes', 'blocked', b -> 'blocked',
          'error', b -> 'error'
        )) order by h.at, h.id)
        from audit_log h cross join lateral (select audit_body(h.body) as b offset 0) body
        where h.call_id = d.call_id and h.kind = 'hop'
          and h.at between d.at - interval '1 hour' and d.at + interval '31 days'
      ) as hops
    from audit_log d
    where d.kind = 'decided' and d.verdict <> 'deny' and d.hosts is not null`.execute(db)
}

async function approved(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace view audit_approved as
    select days.day::date as day, counted.tool, counted.arguments, counted.approvals,
      counted.people, counted.last_at
    from generate_series(
      (select date_trunc('day', min(at) at time zone 'UTC') from audit_log),
      now() at time zone 'UTC', interval '1 day'
    ) as days(day)
    cross join lateral (
      select d.tool, body.arguments, count(distinct d.approval_id) as approvals,
        array_agg(distinct ${named('d.decided_by')}) as people, max(d.at) as last_at
      from audit_log d
      cross join lateral (
        select audit_body(d.body) ->> 'arguments' as arguments offset 0
      ) body
      where d.kind = 'decided' and d.approval_id is not null
        and d.approval_state = 'approved' and d.decided_by is not null
        and d.at >= days.day at time zone 'UTC'
        and d.at < (days.day + interval '1 day') at time zone 'UTC'
      group by d.tool, body.arguments
    ) counted`.execute(db)
}
