import type { ApprovalRow } from '../../db/schema.ts'
import type { Card } from '../../domain/approval.ts'

/** The card as it was stored with its approval. Our own writing, so it is not checked again. */
export function readCard(approval: Pick<ApprovalRow, 'card'>): Card {
  return JSON.parse(approval.card)
}
