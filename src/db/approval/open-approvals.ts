import { sql } from 'kysely'
import type { ApprovalState } from '../../domain/approval.ts'
import type { Risk } from '../../domain/verdict.ts'
import type { Db } from '../schema.ts'

/** Pending approval: its identity, and the expiry by which a change is noticed. */
export interface OpenApproval {
  readonly id: string
  readonly sessionId: string
  /** Caller whose call it is. */
  readonly callerId: string
  readonly expiresAt: Date
}

/** Returns pending approvals with a complete card, oldest first. Approvals whose diff is still being computed are left out. */
export function findOpenApprovals(db: Db): Promise<OpenApproval[]> {
  return db
    .selectFrom('approval')
    .select(['id', 'session_id as sessionId', 'caller_id as callerId', 'expires_at as expiresAt'])
    .where('state', '=', sql.lit('pending'))
    .where('card_outbox_id', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Pending approval with everything needed to answer it. */
export interface FullApproval extends OpenApproval {
  readonly tool: string
  /** Exact JSON text. */
  readonly arguments: string
  readonly risk: Risk
  /** JSON array of patterns. */
  readonly alwaysPatterns: string
  /** JSON of the `Card`. */
  readonly card: string
}

/** Returns one open approval; undefined if it is no longer pending. */
export function readOpenApproval(db: Db, id: string): Promise<FullApproval | undefined> {
  return (
    db
      .selectFrom('approval')
      .innerJoin('tool_call', 'tool_call.id', 'approval.call_id')
      .select([
        'approval.id',
        'approval.session_id as sessionId',
        'approval.caller_id as callerId',
        'approval.expires_at as expiresAt',
        'approval.tool',
        'approval.risk',
        'approval.always_patterns as alwaysPatterns',
        'approval.card',
        'tool_call.arguments',
      ])
      .where('approval.id', '=', id)
      .where('approval.state', '=', sql.lit('pending'))
      .where('approval.card_outbox_id', 'is not', null)
      // The arguments shown must be those that were asked about.
      .whereRef('approval.arguments_sha256', '=', 'tool_call.arguments_sha256')
      .executeTakeFirst()
  )
}

/** Final state of an approval. */
export interface EndedApproval {
  readonly state: ApprovalState
  readonly always: boolean
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly reason: string | null
  /** Display name of the person who decided. */
  readonly decidedByName: string | null
}

/** Returns the state of an approval; undefined if its session was deleted. */
export function readApprovalEnd(db: Db, id: string): Promise<EndedApproval | undefined> {
  return db
    .selectFrom('approval')
    .leftJoin('caller', 'caller.id', 'approval.decided_by')
    .select((eb) => [
      'approval.state',
      eb('approval.always_effect', '!=', sql.lit('none')).as('always'),
      'approval.decided_by as decidedBy',
      'approval.decided_at as decidedAt',
      'approval.reason',
      'caller.name as decidedByName',
    ])
    .where('approval.id', '=', id)
    .executeTakeFirst()
    .then((row) => row && { ...row, always: Boolean(row.always) })
}

/** APPR-16: records that the full approval was sent to the holder of a token; false if the token is no longer valid. */
export async function recordShowing(
  db: Db,
  approvalId: string,
  tokenSha256: string,
): Promise<boolean> {
  const row = await db
    .insertInto('approval_showing')
    .columns(['approval_id', 'caller_id'])
    .expression((eb) =>
      eb
        .selectFrom('api_token')
        .select([sql<string>`${approvalId}::uuid`.as('approval_id'), 'caller_id'])
        .where('token_sha256', '=', tokenSha256),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['approval_id', 'caller_id'])
        .doUpdateSet((eb) => ({ shown_at: eb.ref('excluded.shown_at') })),
    )
    .returning('caller_id')
    .executeTakeFirst()
  return row !== undefined
}

/** True if the full approval was sent to this caller in another form than a card. */
export async function wasShownTo(db: Db, approvalId: string, callerId: string): Promise<boolean> {
  const row = await db
    .selectFrom('approval_showing')
    .select('shown_at')
    .where('approval_id', '=', approvalId)
    .where('caller_id', '=', callerId)
    .executeTakeFirst()
  return row !== undefined
}
