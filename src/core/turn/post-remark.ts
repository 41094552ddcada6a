import { post } from '../outbox/post.ts'
import type { TurnTransaction } from '../transaction.ts'

/** Whoever is about to be asked reads first what it is for. */
export async function postRemark(tx: TurnTransaction, markdown: string): Promise<void> {
  const { conversation, turn } = tx

  if (markdown.trim() === '') return
  const remark = { kind: 'remark', markdown, turnId: turn.id } as const
  await post(tx, conversation.id, remark, { to: turn.caller_id })
}
