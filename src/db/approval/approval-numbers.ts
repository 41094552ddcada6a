import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Counts of approvals, by outcome. */
export interface ApprovalCounts {
  /** Calls that the gate decided on. */
  readonly calls: number
  readonly questions: number
  readonly approved: number
  readonly denied: number
  readonly expired: number
  /** Time from request to answer by a person, in milliseconds. */
  readonly median_ms: number | null
  readonly p90_ms: number | null
}

/** APPR-22: counts approvals since a time. Each half of the query is answered from an index alone. */
export async function countApprovals(db: Db, since: Date): Promise<ApprovalCounts> {
  const wait = sql`extract(epoch from answered_at - asked_at) * 1000`
  const answered = sql`filter (where approval_state in ('approved', 'denied'))`
  const { rows } = await sql<ApprovalCounts>`
    select (
        select count(*) from audit_log where verdict in ('allow', 'ask', 'deny') and at >= ${since}
      )::float8 as calls,
      count(distinct approval_id)::float8 as questions,
      (count(distinct approval_id) filter (where approval_state = 'approved'))::float8 as approved,
      (count(distinct approval_id) filter (where approval_state = 'denied'))::float8 as denied,
      (count(distinct approval_id) filter (where approval_state = 'expired'))::float8 as expired,
      (percentile_cont(0.5) within group (order by ${wait}) ${answered})::float8 as median_ms,
      (percentile_cont(0.9) within group (order by ${wait}) ${answered})::float8 as p90_ms
    from audit_log
    where kind = 'decided' and approval_id is not null and at >= ${since}`.execute(db)
  const [numbers] = rows
  if (numbers === undefined) throw new Error('an aggregate answers one row')
  return numbers
}

/** Denied calls by rule; `denied_by` is the gate, the expiry, or a person. */
export interface RuleDenials {
  readonly denied_by: string
  readonly said_by: string | null
  readonly rule: string | null
  readonly calls: number
}

export async function denialsByRule(
  db: Db,
  since: Date,
  limit: number,
): Promise<readonly RuleDenials[]> {
  const { rows } = await sql<RuleDenials>`
    select denied_by, said_by, rule, count(*)::float8 as calls
    from audit_denials where at >= ${since}
    group by denied_by, said_by, rule order by count(*) desc, denied_by, rule limit ${limit}`.execute(
    db,
  )
  return rows
}

/** Denied calls by caller. */
export interface CallerDenials {
  readonly caller_id: string
  readonly by_gate: number
  readonly by_people: number
  readonly by_time: number
}

export async function denialsByCaller(
  db: Db,
  since: Date,
  limit: number,
): Promise<readonly CallerDenials[]> {
  const { rows } = await sql<CallerDenials>`
    select coalesce(caller_id, '') as caller_id,
      (count(*) filter (where denied_by = 'gate'))::float8 as by_gate,
      (count(*) filter (where denied_by not in ('gate', 'time')))::float8 as by_people,
      (count(*) filter (where denied_by = 'time'))::float8 as by_time
    from audit_denials where at >= ${since}
    group by caller_id order by count(*) desc, caller_id limit ${limit}`.execute(db)
  return rows
}

/** Call that people approved repeatedly. */
export interface ApprovedCall {
  readonly tool: string
  readonly arguments: string | null
  readonly approvals: number
  readonly people: readonly string[]
}

export async function mostApproved(
  db: Db,
  since: Date,
  limit: number,
): Promise<readonly ApprovedCall[]> {
  const { rows } = await sql<ApprovedCall>`
    select coalesce(d.tool, '') as tool, body.arguments,
      count(distinct d.approval_id)::float8 as approvals, array_agg(distinct coalesce(p.caller_id, d.decided_by)) as people
    from audit_log d
    left join audit_people p on p.alias = d.decided_by
    cross join lateral (select audit_body(d.body) ->> 'arguments' as arguments offset 0) body
    where d.kind = 'decided' and d.approval_id is not null and d.approval_state = 'approved'
      and d.decided_by is not null and d.at >= ${since}
    group by d.tool, body.arguments order by approvals desc, tool, arguments limit ${limit}`.execute(
    db,
  )
  return rows
}
