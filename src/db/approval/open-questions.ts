import { sql } from 'kysely'
import type { ApprovalState } from '../../domain/approval.ts'
import type { Risk } from '../../domain/risk.ts'
import type { Db } from '../schema.ts'

/** What tells that a question waits, and that it is still the same one. */
export interface OpenQuestion {
  readonly id: string
  readonly sessionId: string
  /** Whose call it is about. */
  readonly callerId: string
  readonly expiresAt: Date
}

/** Questions that wait and whose card is complete, oldest first; what waits for its diff is not asked yet. */
export function findOpenQuestions(db: Db): Promise<OpenQuestion[]> {
  return db
    .selectFrom('approval')
    .select(['id', 'session_id as sessionId', 'caller_id as callerId', 'expires_at as expiresAt'])
    .where('state', '=', sql.lit('pending'))
    .where('card_outbox_id', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** A question with all that somebody needs who answers it. */
export interface WholeQuestion extends OpenQuestion {
  readonly tool: string
  /** The exact text. */
  readonly arguments: string
  readonly risk: Risk
  /** JSON. */
  readonly alwaysPatterns: string
  /** JSON. */
  readonly card: string
}

/** One of those; undefined: it waits no more. */
export function readOpenQuestion(db: Db, id: string): Promise<WholeQuestion | undefined> {
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
      // What was asked about is what is shown: another text would be another question.
      .whereRef('approval.arguments_sha256', '=', 'tool_call.arguments_sha256')
      .executeTakeFirst()
  )
}

/** How a question ended. */
export interface EndedQuestion {
  readonly state: ApprovalState
  readonly always: boolean
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly reason: string | null
  /** What people call whoever decided. */
  readonly decidedByName: string | null
}

/** undefined: its session is gone, and it with it. */
export function readQuestionEnd(db: Db, id: string): Promise<EndedQuestion | undefined> {
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

/** Notes that the whole question is sent to the holder of a token (APPR-16); false: the token is nobody's any more. */
export async function noteShowing(
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

/** Whether the whole question was sent to this caller, otherwise than as a card. */
export async function wasShownTo(db: Db, approvalId: string, callerId: string): Promise<boolean> {
  const row = await db
    .selectFrom('approval_showing')
    .select('shown_at')
    .where('approval_id', '=', approvalId)
    .where('caller_id', '=', callerId)
    .executeTakeFirst()
  return row !== undefined
}
