import { type Kysely, sql } from 'kysely'

/** APPR-22: numbers on questions to people, by day; a query that says which days it wants reads those days alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await questions(db)
  await approved(db)
  await comments(db)
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

const meanings: Readonly<Record<string, readonly [string, Readonly<Record<string, string>>]>> = {
  audit_questions: [
    'A row a UTC day: how many calls asked a person, and how long people took; say which days, and only those are read',
    {
      day: 'the day, UTC',
      calls: 'decisions of the gate that day',
      questions: 'of them, those that needed a person',
      approved: 'questions that were approved',
      denied: 'that were denied',
      expired: 'that nobody answered in time',
      median_wait: 'what half of the answers took at most, from question to answer',
      p90_wait: 'what nine in ten of them took at most',
    },
  ],
  audit_approved: [
    'A row a UTC day and call that people approved; say which days, and only those are read',
    {
      day: 'the day, UTC',
      tool: 'the tool',
      arguments: 'what it was called with, secrets redacted',
      approvals: 'how often it was approved',
      people: 'by whom',
      last_at: 'when last',
    },
  ],
}

async function comments(db: Kysely<unknown>): Promise<void> {
  for (const [view, [about, columns]] of Object.entries(meanings)) {
    await sql`comment on view ${sql.table(view)} is ${sql.lit(about)}`.execute(db)
    for (const [column, meaning] of Object.entries(columns)) {
      await sql`comment on column ${sql.ref(`${view}.${column}`)} is ${sql.lit(meaning)}`.execute(
        db,
      )
    }
  }
}
