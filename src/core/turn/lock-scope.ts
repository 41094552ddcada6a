import type { Db, TurnRow } from '../../db/schema.ts'
import { lockSessionAndConversation } from '../../db/turn/sessions.ts'
import type { Scope } from '../call/gate/call-context.ts'

/** The rows around a turn, with the session locked: the first statement of each of its transitions. */
export async function lockScope(db: Db, turn: TurnRow): Promise<Scope> {
  return { ...(await lockSessionAndConversation(db, turn.session_id)), turn }
}
