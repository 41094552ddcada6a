import { isOwnChat } from '../is-own-chat.ts'
import type { CommandContext } from './command.ts'

/** Whether nobody but the caller reads here; where that is not certain, it is not so. */
export async function isPrivate(context: CommandContext): Promise<boolean> {
  const { db, conversation, caller, isShared } = context
  return !isShared && (await isOwnChat(db, caller, conversation))
}
