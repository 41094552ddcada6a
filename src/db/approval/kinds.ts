import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Kind of call: approvals of one worker's tool for which *Always* offers the same patterns. */
export interface CallKind {
  readonly worker: string
  readonly tool: string
  /** JSON, as stored with approvals. */
  readonly alwaysPatterns: string
}

/** Answers of one person to a kind of call, all with the same outcome. */
export interface KindAnswers {
  readonly by: string | null
  readonly state: string
  /** True for answers that gave a grant with an end. */
  readonly isTimed: boolean
  /** Number of taps: all calls of a batch count once. */
  readonly taps: number
  readonly since: Date
  /** Whether one of the cards proposed a rule recently. */
  readonly isOffered: boolean
}

/** Time limits in days, and the number of newest approvals that are read. */
export interface KindSpan {
  readonly days: number
  readonly offeredDays: number
  readonly newest: number
}

/** CARD-07: the newest answers to a kind of call, those of the busiest people first. */
export async function findKindAnswers(
  db: Db,
  { worker, tool, alwaysPatterns }: CallKind,
  { days, offeredDays, newest }: KindSpan,
): Promise<readonly KindAnswers[]> {
  const { rows } = await sql<KindAnswers>`
    with kind as (
      select a.* from approval a join session s on s.id = a.session_id
      where a.tool = ${tool} and md5(a.always_patterns) = md5(${alwaysPatterns})
        and a.always_patterns = ${alwaysPatterns} and s.worker = ${worker}
        and a.created_at > now() - make_interval(days => ${days})
      order by a.created_at desc limit ${newest}
    )
    select decided_by as by, state, life is not null as "isTimed",
      count(distinct coalesce(batch_id, id))::int as taps, min(created_at) as since,
      bool_or(offers_rule and created_at > now() - make_interval(days => ${offeredDays}))
        as "isOffered"
    from kind group by decided_by, state, life is not null
    order by taps desc`.execute(db)
  return rows
}

/** Answers to the approvals of a week. */
export interface WeekOfApprovals {
  readonly asked: number
  readonly approved: number
  readonly denied: number
  readonly unanswered: number
  /** Median time from question to answer in seconds; null without answers. */
  readonly medianSeconds: number | null
  /** Kinds approved most often and not denied; only patterns of several calls, as exact ones may hold secrets. */
  readonly often: readonly { readonly tool: string; readonly pattern: string; times: number }[]
}

/**
 * CARD-07: claims the digest of the week before the current one and counts its approvals; undefined if it was claimed before or
 * nothing was asked. `often`: approvals that a kind needs to be listed.
 */
export async function claimDigest(db: Db, often: number): Promise<WeekOfApprovals | undefined> {
  const claimed = await sql`
    insert into weekly_digest (week) values (date_trunc('week', now() at time zone 'UTC'))
    on conflict do nothing returning week`.execute(db)
  if (claimed.rows.length === 0) return undefined
  const { rows } = await sql<WeekOfApprovals>`
    with asked as (
      select a.*, s.worker from approval a join session s on s.id = a.session_id
      where a.created_at < date_trunc('week', now() at time zone 'UTC') at time zone 'UTC'
        and a.created_at >= (date_trunc('week', now() at time zone 'UTC') - interval '7 days') at time zone 'UTC'
        and a.state <> 'superseded'
    ), kinds as (
      select tool, always_patterns::json ->> 0 as pattern, count(*)::int as times
      from asked where json_array_length(always_patterns::json) = 1 and risk <> 'high'
        and always_patterns::json ->> 0 like '% *'
      group by worker, tool, always_patterns
      having count(*) filter (where state = 'approved') >= ${often}
        and count(*) filter (where state = 'denied') = 0
      order by times desc, tool limit 5
    )
    select count(*)::int as asked,
      count(*) filter (where state = 'approved')::int as approved,
      count(*) filter (where state = 'denied')::int as denied,
      count(*) filter (where state in ('pending', 'expired'))::int as unanswered,
      percentile_disc(0.5) within group (
        order by extract(epoch from decided_at - created_at)
      ) filter (where state in ('approved', 'denied')) as "medianSeconds",
      coalesce((select json_agg(kinds) from kinds), '[]'::json) as often
    from asked`.execute(db)
  const [week] = rows
  return week === undefined || week.asked === 0 ? undefined : week
}
