import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/**
 * Deletes button tokens older than `days` whose approval, grant or turn has ended; approvals and turns must have ended
 * `days` ago. Buttons of rules in a worker's file are deleted by age, since listing the rules creates new ones. Returns
 * the number deleted.
 */
export async function deleteOldTokens(db: Db, days: number): Promise<number> {
  const cutoff = sql<Date>`now() - make_interval(days => ${days})`
  const isAsked = sql<boolean>`(
    approval.state = 'pending' or coalesce(approval.decided_at, approval.created_at) > ${cutoff})`
  const { numDeletedRows } = await db
    .deleteFrom('callback_token as token')
    .where('token.created_at', '<=', cutoff)
    .where(
      sql<boolean>`case
        when approval_id is not null then not exists (
          select from approval where approval.id = token.approval_id and ${isAsked})
        when batch_id is not null then not exists (
          select from approval where approval.batch_id = token.batch_id and ${isAsked})
        when turn_id is not null then not exists (
          select from turn where turn.id = token.turn_id
            and (turn.ended_at is null or turn.ended_at > ${cutoff}))
        when grant_id is not null then not exists (
          select from grant_rule join session on session.id = grant_rule.session_id
          where grant_rule.id = token.grant_id and session.closed_at is null
            and grant_rule.revoked_at is null and coalesce(uses_left, 1) > 0
            and coalesce(expires_at > now(), true)
            and not exists (
              select from turn where turn.id = grant_rule.turn_id and turn.ended_at is not null))
        else true
      end`,
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
