import { sql } from 'kysely'
import { liveTurnStates } from '../../domain/turn.ts'
import { literals } from '../literals.ts'
import type { Db } from '../schema.ts'

/** Rows changed by one statement, which bounds how long they are locked. */
const batch = 1000

/**
 * Deletes conversations without activity for `days`, and transcripts closed that long ago. Keeps conversations with a
 * live turn and private conversations of callers. Runs in the caller's transaction; returns the ids of deleted
 * conversations.
 */
export async function deleteOldConversations(db: Db, days: number): Promise<readonly string[]> {
  const before = sql`now() - make_interval(days => ${days})`
  await sql`
    delete from session where state = 'closed' and closed_at < ${before} and not exists (
      select from turn where turn.session_id = session.id and state in (${live}))`.execute(db)
  // The lock prevents additions; the second check sees rows added before it.
  const found = await sql<{ id: string }>`
    select c.id from conversation c where ${isOld(before)} order by c.id for update skip locked`.execute(
    db,
  )
  const ids = found.rows.map(({ id }) => id)
  const { rows } = await sql<{ id: string }>`
    delete from conversation c where c.id = any(${ids}::uuid[]) and ${isOld(before)} returning c.id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

function isOld(before: ReturnType<typeof sql>) {
  return sql`
    c.created_at < ${before}
      and not exists (select from caller where caller.private_conversation_id = c.id)
      and not exists (select from inbound_event e where e.conversation_id = c.id and e.received_at >= ${before})
      and not exists (select from outbox o where o.conversation_id = c.id
        and (o.created_at >= ${before} or o.state = 'pending'))
      and not exists (
        select from session s join turn t on t.session_id = s.id
        where s.conversation_id = c.id
          and (t.created_at >= ${before} or t.ended_at >= ${before} or t.state in (${live})))`
}

const live = sql.join(literals(liveTurnStates))

/** Replaces a deleted result. */
const gone = '[This result is older than it is kept.]'

/** Empties the output in an envelope; the exit code is kept longer. */
const emptied = JSON.stringify({ stdout: '', stderr: '' })

/** Deletes results of calls that ended more than `days` ago; returns their number. Transcripts keep a line for each. */
export async function deleteOldOutputs(db: Db, days: number): Promise<number> {
  let count = 0
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      update tool_call set result = ${gone}, output = null, compacted = null, summary = null,
        envelope = (audit_body(envelope) || ${emptied}::jsonb)::text
      where id in (
        select call.id from tool_call call join turn on turn.id = call.turn_id
        where call.settled_at < now() - make_interval(days => ${days})
          and turn.ended_at is not null and call.result is not null and call.result <> ${gone}
        limit ${batch})`.execute(db)
    count += Number(numAffectedRows)
    if (numAffectedRows < BigInt(batch)) return count
  }
}
