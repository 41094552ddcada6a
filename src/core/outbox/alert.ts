import type { Db } from '../../db/schema.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Effects } from '../kernel/transact.ts'
import { notice } from './post.ts'

/**
 * Tells the operators in their conversation, where `[logging] alerts_to` names one; what goes wrong there (`about`) tells
 * nobody.
 */
export async function alert(
  kernel: Kernel,
  db: Db,
  after: Effects,
  { text, about }: { readonly text: string; readonly about?: string },
): Promise<void> {
  const [, platform, place] = /^([^:]+):(.+)$/s.exec(kernel.settings.alertsTo ?? '') ?? []
  if (platform === undefined || place === undefined) return
  const conversation = await ensureConversation(db, platform, place)
  if (conversation.id !== about) await notice(db, after, conversation.id, text)
}
