import type { TurnRow } from '../../db/schema.ts'
import { lockSessionAndConversation } from '../../db/turn/sessions.ts'
import type { CoreContext } from '../context.ts'
import type { Transaction, TurnTransaction } from '../transaction.ts'

/** Locks a turn's session and reads the rows around the turn: the first statement of each of its transitions. */
export async function lockTurn<Context extends CoreContext>(
  tx: Transaction<Context>,
  turn: TurnRow,
): Promise<TurnTransaction<Context>> {
  return { ...tx, ...(await lockSessionAndConversation(tx.db, turn.session_id)), turn }
}
