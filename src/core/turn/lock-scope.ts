import { getConversation } from '../../db/conversations.ts'
import type { Db, TurnRow } from '../../db/schema.ts'
import { lockSession } from '../../db/sessions.ts'
import type { Scope } from '../call/call-kernel.ts'

/** The rows around a turn, with the session locked: the first statement of each of its transitions. */
export async function lockScope(db: Db, turn: TurnRow): Promise<Scope> {
  const session = await lockSession(db, turn.session_id)
  const conversation = await getConversation(db, session.conversation_id)
  return { session, conversation, turn }
}
