import type { Db } from '../../db/schema.ts'
import type { Scope } from '../call/gate/call-context.ts'
import { post } from '../outbox/post.ts'
import type { Effects } from '../transaction.ts'

/** Whoever is about to be asked reads first what it is for. */
export async function postRemark(
  db: Db,
  after: Effects,
  { conversation, turn }: Scope,
  markdown: string,
): Promise<void> {
  if (markdown.trim() === '') return
  const remark = { kind: 'remark', markdown, turnId: turn.id } as const
  await post(db, after, conversation.id, remark, { to: turn.caller_id })
}
