import { sql } from 'kysely'
import { liveTurnStates } from '../../domain/turn.ts'
import { atWorker } from '../call/silent-calls.ts'
import { literals } from '../literals.ts'
import type { Db } from '../schema.ts'
import { heartbeatLimit } from './heartbeat.ts'

/** Current state of all processes together. Ages in seconds by the database's clock; null if nothing waits. */
export interface QueueStats {
  readonly approvalsPending: number
  /** Age of the approval that expires first; the oldest, unless some were extended. */
  readonly approvalSeconds: number | null
  readonly outboxWaiting: number
  readonly outboxSeconds: number | null
  readonly inboxWaiting: number
  readonly inboxSeconds: number | null
  /** Number of turns that an agent is advancing or should advance. */
  readonly turnsStepping: number
  /** Number of turns with open tool calls, at workers or waiting for people. */
  readonly turnsActing: number
  /** Findings of the last audit verification, and its age; null if none has run. */
  readonly auditBroken: number | null
  readonly auditVerifiedSeconds: number | null
  /** Number of unanswered calls by worker. */
  readonly callsAtWorkers: Readonly<Record<string, number>>
  /** Number of live replicas by worker; 0 for a worker that is away. */
  readonly workersLive: Readonly<Record<string, number>>
}

const live = sql.join(literals(liveTurnStates))

/** Reads everything in one statement that uses partial indexes on waiting rows only. */
export async function readQueueStats(db: Db): Promise<QueueStats> {
  const { rows } = await sql<QueueStats>`
    select
      (select count(*) from approval where state = 'pending') as "approvalsPending",
      (select ${age('created_at')} from approval where state = 'pending'
        order by expires_at limit 1) as "approvalSeconds",
      outbox.waiting as "outboxWaiting", outbox.seconds as "outboxSeconds",
      inbox.waiting as "inboxWaiting", inbox.seconds as "inboxSeconds",
      verified.broken as "auditBroken", verified.seconds as "auditVerifiedSeconds",
      stepping.turns as "turnsStepping", live.turns - stepping.turns as "turnsActing",
      ${ofWorkers(atWorkers)} as "callsAtWorkers", ${ofWorkers(replicas)} as "workersLive"
    from
      (select count(*) as waiting, ${age('min(created_at)')} as seconds from outbox
        where state = 'pending') as outbox,
      (select count(*) as waiting, ${age('min(received_at)')} as seconds from inbound_event
        where handled_at is null) as inbox,
      (select count(*) as turns from turn where state in ('queued', 'thinking')) as stepping,
      (select count(*) as turns from turn where state in (${live})) as live
      left join (select broken, ${age('at')} as seconds from audit_verification
        order by id desc limit 1) as verified on true`.execute(db)
  const [stats] = rows
  if (stats === undefined) throw new Error('the database told nothing')
  return stats
}

const atWorkers = sql`
  select worker, count(*) as number from tool_call
  where state in (${sql.join(atWorker)}) and worker is not null group by worker`

const replicas = sql`
  select name as worker, count(*) filter (where seen_at > ${heartbeatLimit}) as number
  from worker group by name`

function age(moment: string) {
  return sql.raw(`extract(epoch from now() - ${moment})::float8`)
}

function ofWorkers(counts: typeof replicas) {
  return sql`(select coalesce(json_object_agg(worker, number), '{}') from (${counts}) as counted)`
}
