import { findToken } from '../../../db/approval/callback-tokens.ts'
import type { Db } from '../../../db/schema.ts'
import { getConversation } from '../../../db/turn/conversations.ts'
import { chatOf } from '../../../domain/chat-address.ts'
import type { Incoming } from '../../../ports/chat.ts'
import { sha256 } from '../../../util/sha256.ts'

export type Button = NonNullable<Awaited<ReturnType<typeof findToken>>>

/** The button of ours that has this token, if it was made for the chat in which it was tapped (THREAT-8). */
export async function findButton(
  db: Db,
  { platform, place }: Pick<Incoming, 'platform' | 'place'>,
  token: string,
): Promise<Button | undefined> {
  const button = await findToken(db, sha256(token))
  if (button === undefined) return undefined
  const shownIn = await getConversation(db, button.conversation_id)
  const isHere = shownIn.platform === platform && chatOf(shownIn.external_id) === chatOf(place)
  return isHere ? button : undefined
}
