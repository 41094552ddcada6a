import { insertBatch } from '../../db/approval/approval-batches.ts'
import { newId } from '../../util/new-id.ts'
import type { Ask } from '../call/ask-again.ts'
import type { GateTransaction } from '../call/gate/load-facts.ts'
import { refuseReady } from '../call/refuse-ready.ts'
import { showBatch } from '../card/show-batch.ts'
import { showCard } from '../card/show-card.ts'
import { insertQuestion, ruleOfAsk } from './insert-question.ts'
import { nobodyToAsk } from './nobody-to-ask.ts'

/** APPR-10: more questions of a step than that, which the same people may answer, are asked on one card. */
const mostAlone = 5

/**
 * APPR-01: questions become rows, and their cards go out, in the transaction that made the calls wait. No process holds
 * anything. A card that shows what only the box can tell waits for that; nothing is approvable before it was wholly shown.
 * What nobody could approve is not asked; answers whether there was any such call, which has ended then (ERR-07).
 */
export async function requestApprovals(
  tx: GateTransaction,
  asks: readonly Ask[],
): Promise<boolean> {
  const askable = await refuseUnaskable(tx, asks)
  const batchOf = await beginBatches(tx, askable)
  for (const ask of askable) {
    const batchId = batchOf.get(ask) ?? null
    const { approval, isReady } = await insertQuestion(tx, ask, batchId)
    if (isReady && batchId === null) await showCard(tx, approval)
  }
  for (const id of new Set(batchOf.values())) await showBatch(tx, id)
  return askable.length < asks.length
}

/** Those that there is somebody to ask about. */
async function refuseUnaskable(tx: GateTransaction, asks: readonly Ask[]): Promise<readonly Ask[]> {
  const askable: Ask[] = []
  for (const ask of asks) {
    const rule = ruleOfAsk(tx.ctx, tx.facts, ask)
    const error = await nobodyToAsk(tx.ctx, tx.db, tx.turn.caller_id, rule)
    if (error === undefined) askable.push(ask)
    else await refuseReady(tx, ask.call, { state: 'failed', error })
  }
  return askable
}

/** APPR-17: a card goes to those who may answer it, so that one for several questions has one rule for all of them. */
async function beginBatches(
  tx: GateTransaction,
  asks: readonly Ask[],
): Promise<ReadonlyMap<Ask, string>> {
  const found = new Map<Ask, string>()
  const groups = Map.groupBy(asks, (ask) => JSON.stringify(ruleOfAsk(tx.ctx, tx.facts, ask)))
  for (const group of groups.values()) {
    if (group.length <= mostAlone) continue
    const id = newId()
    const place = { session_id: tx.session.id, conversation_id: tx.conversation.id }
    await insertBatch(tx.db, { id, ...place })
    for (const ask of group) found.set(ask, id)
  }
  return found
}
