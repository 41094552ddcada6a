import type { Db } from '../schema.ts'

export interface TurnPlace {
  readonly platform: string
  /** Of the conversation, as the platform knows it. */
  readonly place: string
  readonly epoch: number
  /** Where its tools run. */
  readonly worker: string
  /** Whose it is. */
  readonly callerId: string
}

/** Where a turn is held, while it is not over; undefined also when it is none of that conversation. */
export function findLiveTurnPlace(
  db: Db,
  { conversationId, turnId }: { readonly conversationId: string; readonly turnId: string },
): Promise<TurnPlace | undefined> {
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
