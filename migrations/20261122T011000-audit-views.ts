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
  await comments(db)
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
      d.verdict, d.decided_by, (select s.result from ${ending}) as result,
      d.session_id, d.turn_id, d.call_id
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

const call = {
  session_id: 'the session',
  turn_id: 'the turn',
  call_id: 'the tool call',
  caller_id: 'whose turn it was',
  tool: 'the tool',
  arguments: 'what it was called with, secrets redacted',
}

const meanings: Readonly<Record<string, readonly [string, Readonly<Record<string, string>>]>> = {
  audit_calls: [
    'A row a tool call: what was decided last, and how it ended',
    {
      ...call,
      at: 'when it was decided',
      verdict: 'what the gate said last: allow, ask or deny',
      result: 'success, blocked, error, timeout, cancelled or interrupted; null: it has not ended',
      exit_code: 'of a command',
      duration_ms: 'how long it ran',
      error_category: 'why there is no ordinary result',
      truncated: 'whether its output was cut',
      cached: 'whether the result was remembered instead of made',
      ended_at: 'when it ended',
      approval_id: 'the approval that was asked for',
      approval_state: 'how the approval ended',
      decided_by: 'who answered it',
      asked_at: 'when it was asked for',
      answered_at: 'when it was answered',
      said_by: 'the check of the gate that decided',
      rule: 'the rule by which it did',
      policy_match: 'the policy rule that matched',
      trace: 'every check that spoke: check, action, reason, rule',
      hosts: 'where it may reach; empty: not told by its arguments; null: nowhere',
      worker: 'the worker it was sent to',
      replica: 'which of its replicas ran it',
      sandbox: 'what kept it in',
      attempt: 'which attempt the decision was about',
      envelope: 'stdout, stderr and exit code, redacted; gone with the session',
      note: 'a remark of the program',
      platform: 'where the conversation is: console, telegram, slack',
      conversation: 'the conversation, as its platform names it',
    },
  ],
  audit_approvals: [
    'A row a call that needed an approval which was answered or ran out',
    {
      ...call,
      at: 'when the answer was acted on',
      asked_at: 'when it was asked for',
      answered_at: 'when it was answered',
      time_to_decision: 'from one to the other',
      state: 'approved, denied, expired, cancelled, granted or superseded',
      decided_by: 'who answered it',
      reason: 'what they said',
      risk: 'low, medium or high, as the card showed',
      approval_id: 'the approval',
    },
  ],
  audit_waiting: [
    'A row an approval that is open',
    {
      ...call,
      asked_at: 'when it was asked for',
      waiting: 'since then',
      expires_at: 'when it runs out',
      risk: 'low, medium or high, as the card shows',
      platform: 'where the conversation is: console, telegram, slack',
      conversation: 'the conversation, as its platform names it',
      approval_id: 'the approval',
    },
  ],
  audit_denials: [
    'A row a call that the gate or a person refused, or that nobody answered in time',
    {
      ...call,
      at: 'when',
      denied_by: 'gate, time, or the person',
      said_by: 'the check of the gate that refused it',
      reason: 'why, in words',
      rule: 'the rule that decided',
      policy_match: 'the policy rule that matched',
      approval_id: 'the approval, where one was asked for',
    },
  ],
  audit_by_caller: [
    'A row a person and UTC day with calls that ended; say which days, and only those are read',
    {
      day: 'the day, UTC',
      caller_id: 'whose turns they were',
      name: 'as the platform last named them',
      calls: 'calls that ended that day',
      succeeded: 'of them, with an ordinary result',
      failed: 'with an error, out of time or interrupted',
      blocked: 'refused by the gate or a person',
      cancelled: 'called off',
      last_at: 'when the last one ended',
    },
  ],
  audit_egress: [
    'A row a call that was let through and may reach the network',
    {
      ...call,
      at: 'when it was decided',
      hosts: 'where to; empty: not told by its arguments',
      verdict: 'what the gate said: allow, or ask and a person agreed',
      decided_by: 'who agreed',
      result: 'how it ended',
    },
  ],
  tool_health: [
    'A row a tool that was called within three days',
    {
      tool: 'the tool',
      calls: 'calls that ended',
      failures: 'of them, with an error, out of time or interrupted',
      failure_percent: 'the same as a share',
      timeouts: 'of them, out of time',
      p50_ms: 'what half of them took at most',
      p95_ms: 'what all but one in twenty took at most',
      last_failure: 'when the last one failed',
      usual_error: 'the most frequent error category',
    },
  ],
}

async function comments(db: Kysely<unknown>): Promise<void> {
  for (const [view, [about, columns]] of Object.entries(meanings)) {
    await sql`comment on view ${sql.table(view)} is ${sql.lit(about)}`.execute(db)
    for (const column of await columnsOf(db, view)) {
      const meaning = columns[column]
      if (meaning === undefined) throw new Error(`${view}.${column} is not explained`)
      await sql`comment on column ${sql.ref(`${view}.${column}`)} is ${sql.lit(meaning)}`.execute(
        db,
      )
    }
  }
}

async function columnsOf(db: Kysely<unknown>, view: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${view}::regclass and attnum > 0`.execute(db)
  return rows.map(({ name }) => name)
}
