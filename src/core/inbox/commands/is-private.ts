import { findReach } from '../../../db/reach.ts'
import type { CommandContext } from './command.ts'

/** Whether nobody but the caller reads here; where that is not certain, it is not so. */
export async function isPrivate({
  db,
  conversation,
  caller,
  isShared,
}: CommandContext): Promise<boolean> {
  if (isShared) return false
  const own = (await findReach(db, [caller.id])).find(({ id }) => id === caller.id)
  return own?.conversationId === conversation.id
}
