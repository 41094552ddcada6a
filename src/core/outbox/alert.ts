import { ensureConversation } from '../../db/turn/conversations.ts'
import type { Transaction } from '../transaction.ts'
import { notice } from './post.ts'

/**
 * Tells the operators in their conversation, where `[logging] alerts_to` names one; what goes wrong there (`about`) tells
 * nobody.
 */
export async function alert(
  tx: Transaction,
  { text, about }: { readonly text: string; readonly about?: string },
): Promise<void> {
  const [, platform, place] = /^([^:]+):(.+)$/s.exec(tx.ctx.settings.alertsTo ?? '') ?? []
  if (platform === undefined || place === undefined) return
  const conversation = await ensureConversation(tx.db, platform, place)
  if (conversation.id !== about) await notice(tx, conversation.id, text)
}
