import { isOwnChat } from '../is-own-chat.ts'
import type { CommandTransaction } from './command.ts'

/** Whether nobody but the caller reads here; where that is not certain, it is not so. */
export async function isPrivate(tx: CommandTransaction): Promise<boolean> {
  const { db, conversation, caller, isShared } = tx
  return !isShared && (await isOwnChat(db, caller, conversation))
}
