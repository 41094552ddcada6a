import {
  findApprovalBatch,
  findMembers,
  findPendingMembers,
} from '../../db/approval/approval-batches.ts'
import { findCardCopies, saveShownCard } from '../../db/approval/card-copies.ts'
import { dropPendingEdits } from '../../db/outbox/outbox.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import type { BatchCard } from '../../domain/batch-card.ts'
import { post } from '../outbox/post.ts'
import type { Transaction } from '../transaction.ts'
import { composeBatch } from './batch-card.ts'

/** Posts a card for all questions of a batch, as they stand; each counts as shown once it went. */
export async function postBatch(
  tx: Transaction,
  batchId: string,
  conversationId: string,
): Promise<void> {
  const found = await readBatch(tx.db, batchId)
  if (found === undefined) return
  const outboxId = await post(tx, conversationId, { kind: 'batch', batch: found.card })
  for (const { id } of found.members) await saveShownCard(tx.db, id, outboxId, 'batch')
}

/** Tells what became of its questions on every copy of a batch's card (APPR-05), once a transaction. */
export function refreshBatch(tx: Transaction, batchId: string): void {
  tx.effects.atEnd(`batch ${batchId}`, () => postUpdates(tx, batchId))
}

async function postUpdates(tx: Transaction, batchId: string): Promise<void> {
  const found = await readBatch(tx.db, batchId)
  const [first] = found?.members ?? []
  if (found === undefined || first === undefined) return
  const message = { kind: 'batch_update', batch: found.card } as const
  for (const { outboxId, conversationId } of await findCardCopies(tx.db, first.id, 'batch')) {
    await dropPendingEdits(tx.db, outboxId)
    await post(tx, conversationId, message, { editOf: outboxId })
  }
}

/** A batch as it stands; undefined: it has no questions any more. */
export async function readBatch(
  db: Db,
  batchId: string,
): Promise<{ readonly card: BatchCard; readonly members: readonly ApprovalRow[] } | undefined> {
  const batch = await findApprovalBatch(db, batchId)
  const members = await findMembers(db, batchId)
  if (batch === undefined || members.length === 0) return undefined
  return { card: composeBatch(batch, members), members }
}

/** What a question is called in a line of ours. */
export interface QuestionName {
  /** With others that wait and are asked together, all of them. */
  readonly name: string
  readonly isOne: boolean
  /** Of that one, or of the first of them. */
  readonly number: number
  /** Whether the line is to be said for this question: of those that are asked together it is for the first that waits. */
  readonly isSaid: boolean
}

export async function nameQuestion(
  db: Db,
  { number, tool, batch_id }: Pick<ApprovalRow, 'number' | 'tool' | 'batch_id'>,
): Promise<QuestionName> {
  const waiting = batch_id === null ? [] : await findPendingMembers(db, batch_id)
  const [first = { number, tool }] = waiting
  const isSaid = waiting.length === 0 || first.number === number
  const isOne = waiting.length < 2
  const name = isOne
    ? `Question ${first.number} (${first.tool})`
    : `Questions ${numbersOf(waiting)}`
  return { name, isOne, number: first.number, isSaid }
}

/** `3–10`, or `3, 5, 6` where some of them are missing. */
export function numbersOf(members: readonly { readonly number: number }[]): string {
  const numbers = members.map(({ number }) => number)
  const [first = 0] = numbers
  const last = numbers.at(-1) ?? first
  const isWhole = numbers.length > 2 && last - first === numbers.length - 1
  return isWhole ? `${first}–${last}` : numbers.join(', ')
}
