import type { ConversationRow, Db, SessionRow } from '../../db/schema.ts'
import { lockConversation } from '../../db/turn/conversations.ts'
import { getSession, lockOpenSession, lockSession } from '../../db/turn/sessions.ts'
import { findTurn } from '../../db/turn/turns.ts'
import type { InboundBody } from './inbound.ts'
import type { InboxKernel } from './inbox-kernel.ts'

/** What an event is about, locked. */
export interface Home {
  readonly conversation: ConversationRow
  readonly session: SessionRow
  /** Whether the event came in somewhere else. */
  readonly isElsewhere: boolean
}

/**
 * The conversation where an event came in, which is locked already, and its open session. Of a button that ends a turn: those of the
 * turn, since cards are shown to approvers in other chats too.
 */
export async function lockHome(
  kernel: InboxKernel,
  db: Db,
  here: ConversationRow,
  body: InboundBody,
): Promise<Home> {
  const turnId = body.kind === 'stop' ? body.turnId : undefined
  const turn = turnId === undefined ? undefined : await findTurn(db, turnId)
  if (turn === undefined) {
    const session = await lockOpenSession(db, here.id, here.worker ?? kernel.settings.worker)
    return { conversation: here, session, isElsewhere: false }
  }
  const { conversation_id: homeId } = await getSession(db, turn.session_id)
  const isElsewhere = homeId !== here.id
  const conversation = isElsewhere ? await lockConversation(db, homeId) : here
  return { conversation, session: await lockSession(db, turn.session_id), isElsewhere }
}
