import { ensureConversation } from '../../db/conversations.ts'
import { notice } from '../outbox/post.ts'
import type { IntakeContext } from './intake-context.ts'

/** Words of the product to where something came from, though nothing of it is stored. */
export async function answerHere(
  { db, after, incoming }: IntakeContext,
  text: string,
): Promise<void> {
  const { id } = await ensureConversation(db, incoming.platform, incoming.place)
  await notice(db, after, id, text)
}
