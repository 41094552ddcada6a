import type { Db } from '../../db/schema.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import type { CoreContext } from '../context.ts'
import type { Effects } from '../transaction.ts'
import { notice } from './post.ts'

/**
 * Tells the operators in their conversation, where `[logging] alerts_to` names one; what goes wrong there (`about`) tells
 * nobody.
 */
export async function alert(
  ctx: CoreContext,
  db: Db,
  after: Effects,
  { text, about }: { readonly text: string; readonly about?: string },
): Promise<void> {
  const [, platform, place] = /^([^:]+):(.+)$/s.exec(ctx.settings.alertsTo ?? '') ?? []
  if (platform === undefined || place === undefined) return
  const conversation = await ensureConversation(db, platform, place)
  if (conversation.id !== about) await notice(db, after, conversation.id, text)
}
