import type { Db } from '../schema.ts'

export interface TurnAddress {
  readonly platform: string
  /** Address of the conversation on its platform. */
  readonly place: string
  readonly epoch: number
  /** Worker that runs its tools. */
  readonly worker: string
  /** Caller of the turn. */
  readonly callerId: string
}

/** Returns the conversation of a live turn; undefined if the turn has ended or belongs to another conversation. */
export function findLiveTurnAddress(
  db: Db,
  { conversationId, turnId }: { readonly conversationId: string; readonly turnId: string },
): Promise<TurnAddress | undefined> {
  return db
    .selectFrom('turn')
    .innerJoin('session', 'session.id', 'turn.session_id')
    .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
    .select([
      'conversation.platform',
      'conversation.external_id as place',
      'turn.epoch',
      'session.worker',
      'turn.caller_id as callerId',
    ])
    .where('turn.id', '=', turnId)
    .where('conversation.id', '=', conversationId)
    .where('turn.ended_at', 'is', null)
    .executeTakeFirst()
}
