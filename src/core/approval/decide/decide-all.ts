import { isShownAlone } from '../../../db/approval/card-copies.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import type { Caller } from '../../../domain/caller.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { packCard } from '../../card/card-file.ts'
import { numbersOf, postCard } from '../../card/cards.ts'
import { readCard } from '../../card/read-card.ts'
import type { Transaction } from '../../transaction.ts'
import { decideLocked, type PersonsAnswer } from './decide.ts'
import { type Decided, refuseUnauthorised } from './settle-decision.ts'

/**
 * APPR-20: applies one answer to several approvals of a session, each under its own rule as if answered alone. The kind is
 * `applied` only if it applied to all; the text says which were missed.
 */
export async function decideAll(
  tx: Transaction,
  questions: readonly ApprovalRow[],
  answer: PersonsAnswer,
): Promise<Decided> {
  const results: { readonly number: number; readonly decided: Decided }[] = []
  for (const question of questions) {
    const decided = await decideLocked(tx, question, answer)
    results.push({ number: question.number, decided })
  }
  const messages = tx.ctx.messages.approvals
  const missed = results.find(({ decided }) => decided.kind !== 'applied')
  const groups = [...Map.groupBy(results, ({ decided }) => decided.text)]
  return {
    kind: missed?.decided.kind ?? 'applied',
    text: groups
      .map(([text, members]) => messages.aboutMany({ numbers: numbersOf(members), text }))
      .join('\n'),
  }
}

/** APPR-20: posts a separate card for each approval of a batch in the given conversation. Call under the session's lock. */
export async function reviewBatch(
  tx: Transaction,
  waiting: readonly ApprovalRow[],
  by: Caller,
  at: string,
): Promise<Decided> {
  for (const question of waiting) {
    const refused = await refuseUnauthorised(tx.ctx, tx.db, question, by)
    if (refused !== undefined) return refused
  }
  let shown = 0
  for (const question of waiting) {
    if (await isShownAlone(tx.db, question.id, at)) continue
    const card = await packCard(tx, at, readCard(question))
    await postCard(tx, { ...question, card: toStorable(JSON.stringify(card)) }, at)
    shown += 1
  }
  if (shown === 0) return { kind: 'late', text: tx.ctx.messages.approvals.eachAlreadyShown }
  return { kind: 'applied', text: tx.ctx.messages.approvals.eachShown }
}
