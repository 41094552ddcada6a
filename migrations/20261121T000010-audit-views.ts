import { type Kysely, sql } from 'kysely'

/** AUD-03: the audit as operators read it. They see what no role that reads them may see otherwise. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await calls(db)
  await approvals(db)
  await waiting(db)
  await denials(db)
  await byCaller(db)
  await egress(db)
  await health(db)
  await questions(db)
  await approved(db)
}

/**
 * How the call `d` ended. The hour is for clocks that were set back; nothing runs for a month, and so few partitions are
 * opened.
 */
const ending = sql`
  audit_log s
  where s.call_id = d.call_id and s.kind = 'settled'
    and s.at between d.at - interval '1 hour' and d.at + interval '31 days'
  order by s.at, s.id limit 1`

async function calls(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view audit_calls as
    select d.at, d.caller_id, d.tool, b.d ->> 'arguments' as arguments, d.verdict, s.result,
      case when jsonb_typeof(b.s -> 'exit_code') = 'number'
        then (b.s -> 'exit_code')::numeric end as exit_code,
      s.duration_ms, s.error_category, b.s -> 'truncated' = 'true' as truncated,
      b.s -> 'cached' = 'true' as cached, s.at as ended_at,
      d.approval_id, d.approval_state, d.decided_by, d.asked_at, d.answered_at,
      d.said_by, d.rule, b.d ->> 'policy_match' as policy_match, b.d -> 'trace' as trace, d.hosts,
      coalesce(b.s, b.d) ->> 'worker' as worker, b.s ->> 'replica' as replica,
      b.s ->> 'sandbox' as sandbox,
      case when jsonb_typeof(b.d -> 'attempt') = 'number'
        then (b.d -> 'attempt')::numeric end as attempt,
      b.t as envelope, b.d ->> 'note' as note,
      place.platform, place.external_id as conversation, d.session_id, d.turn_id, d.call_id
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
}

/** Times that a row of before does not have are those of the approval, while it is kept. */
async function approvals(db: Kysely<unknown>): Promise<void> {
  const of = (column: string) =>
    sql`(select a.${sql.ref(column)} from approval a where a.id = d.approval_id)`
  const asked = sql`coalesce(d.asked_at, ${of('created_at')})`
  const answered = sql`coalesce(d.answered_at, ${of('decided_at')})`
  await sql`
    create view audit_approvals as
    select d.at, ${asked} as asked_at, ${answered} as answered_at,
      ${answered} - ${asked} as time_to_decision, d.approval_state as state, d.decided_by,
      ${of('reason')} as reason, d.caller_id, d.tool,
      audit_body(d.body) ->> 'arguments' as arguments, ${of('risk')} as risk,
      d.approval_id, d.session_id, d.turn_id, d.call_id
    from audit_log d
    where d.kind = 'decided' and d.approval_id is not null`.execute(db)
}

async function waiting(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view audit_waiting as
    select a.created_at as asked_at, now() - a.created_at as waiting, a.expires_at, a.caller_id,
      a.tool, a.risk, place.platform, place.external_id as conversation,
      a.id as approval_id, a.session_id, a.turn_id, a.call_id
    from approval a
    join conversation place on place.id = a.conversation_id
    where a.state = 'pending'`.execute(db)
}

/** What refused it is in columns; why, in the words of its check, in the trace. */
async function denials(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view audit_denials as
    select d.at, d.caller_id, d.tool, audit_body(d.body) ->> 'arguments' as arguments,
      case when d.verdict = 'deny' then 'gate'
        when d.approval_state = 'expired' then 'time' else d.decided_by end as denied_by,
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

/** A query that says which days it wants reads those days alone. */
async function byCaller(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view audit_by_caller as
    select days.day::date as day, counted.caller_id, caller.name, counted.calls, counted.succeeded,
      counted.failed, counted.blocked, counted.cancelled, counted.last_at
    from generate_series(
      (select date_trunc('day', min(at) at time zone 'UTC') from audit_log),
      now() at time zone 'UTC', interval '1 day'
    ) as days(day)
    cross join lateral (
      select caller_id, count(*) as calls,
        count(*) filter (where result = 'success') as succeeded,
        count(*) filter (where result in ('error', 'timeout', 'interrupted')) as failed,
        count(*) filter (where result = 'blocked') as blocked,
        count(*) filter (where result = 'cancelled') as cancelled,
        max(at) as last_at
      from audit_log
      where kind = 'settled' and at >= days.day at time zone 'UTC'
        and at < (days.day + interval '1 day') at time zone 'UTC'
      group by caller_id
    ) counted
    left join caller on caller.id = counted.caller_id`.execute(db)
}

async function egress(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view audit_egress as
    select d.at, d.caller_id, d.tool, d.hosts, audit_body(d.body) ->> 'arguments' as arguments,
      d.verdict, d.decided_by,
      (
        select s.result from audit_log s
        where s.call_id = d.call_id and s.kind = 'settled'
          and s.at between d.at - interval '1 hour' and d.at + interval '31 days'
        order by s.at, s.id limit 1
      ) as result,
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

async function health(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view tool_health as
    select tool, calls, failures, round(100.0 * failures / calls, 1) as failure_percent, timeouts,
      typical[1] as p50_ms, typical[2] as p95_ms, last_failure, usual_error
    from (
      select tool, count(*) as calls,
        count(*) filter (where result in ('error', 'timeout', 'interrupted')) as failures,
        count(*) filter (where result = 'timeout') as timeouts,
        percentile_disc(array[0.5, 0.95]) within group (order by duration_ms) as typical,
        max(at) filter (where result in ('error', 'timeout', 'interrupted')) as last_failure,
        mode() within group (order by error_category)
          filter (where result in ('error', 'timeout', 'interrupted')) as usual_error
      from audit_log
      where kind = 'settled' and at > now() - interval '3 days'
      group by tool
    ) counted`.execute(db)
}

const days = sql`
  generate_series(
    (select date_trunc('day', min(at) at time zone 'UTC') from audit_log),
    now() at time zone 'UTC', interval '1 day'
  ) as days(day)`

const ofDay = sql`
  d.at >= days.day at time zone 'UTC' and d.at < (days.day + interval '1 day') at time zone 'UTC'`

/** Both halves are answered by an index alone. */
async function questions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view audit_questions as
    select days.day::date as day, decided.calls, asked.questions, asked.approved, asked.denied,
      asked.expired, asked.median_wait, asked.p90_wait
    from ${days}
    cross join lateral (
      select count(*) as calls from audit_log d
      where d.verdict in ('allow', 'ask', 'deny') and ${ofDay}
    ) decided
    cross join lateral (
      select count(distinct approval_id) as questions,
        count(distinct approval_id) filter (where approval_state = 'approved') as approved,
        count(distinct approval_id) filter (where approval_state = 'denied') as denied,
        count(distinct approval_id) filter (where approval_state = 'expired') as expired,
        percentile_cont(0.5) within group (order by answered_at - asked_at)
          filter (where approval_state in ('approved', 'denied')) as median_wait,
        percentile_cont(0.9) within group (order by answered_at - asked_at)
          filter (where approval_state in ('approved', 'denied')) as p90_wait
      from audit_log d
      where d.kind = 'decided' and d.approval_id is not null and ${ofDay}
    ) asked
    where decided.calls > 0`.execute(db)
}

async function approved(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view audit_approved as
    select days.day::date as day, counted.tool, counted.arguments, counted.approvals,
      counted.people, counted.last_at
    from ${days}
    cross join lateral (
      select d.tool, body.arguments, count(distinct d.approval_id) as approvals,
        array_agg(distinct d.decided_by) as people, max(d.at) as last_at
      from audit_log d
      cross join lateral (
        select audit_body(d.body) ->> 'arguments' as arguments offset 0
      ) body
      where d.kind = 'decided' and d.approval_id is not null
        and d.approval_state = 'approved' and d.decided_by is not null and ${ofDay}
      group by d.tool, body.arguments
    ) counted`.execute(db)
}
