import { isShownAlone } from '../../../db/approval/card-copies.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import type { Caller } from '../../../domain/caller.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { packCard } from '../../card/card-file.ts'
import { postCard } from '../../card/cards.ts'
import { readCard } from '../../card/read-card.ts'
import type { Transaction } from '../../transaction.ts'
import type { Decided } from './decided.ts'
import { refuseStranger } from './may-answer.ts'

/**
 * APPR-20: questions that were asked together get a card each, in the conversation where somebody wants to look at them
 * one by one. Call under the session's lock.
 */
export async function reviewBatch(
  tx: Transaction,
  waiting: readonly ApprovalRow[],
  by: Caller,
  at: string,
): Promise<Decided> {
  for (const question of waiting) {
    const refused = await refuseStranger(tx.ctx, tx.db, question, by)
    if (refused !== undefined) return refused
  }
  let shown = 0
  for (const question of waiting) {
    if (await isShownAlone(tx.db, question.id, at)) continue
    const card = await packCard(tx.db, at, readCard(question))
    await postCard(tx, { ...question, card: toStorable(JSON.stringify(card)) }, at)
    shown += 1
  }
  if (shown === 0) return { kind: 'late', text: 'Each has a card of its own here already.' }
  return { kind: 'applied', text: 'Each is shown on a card of its own.' }
}
