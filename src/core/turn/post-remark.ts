import type { Db } from '../../db/schema.ts'
import type { Scope } from '../call/call-kernel.ts'
import type { Effects } from '../kernel/transact.ts'
import { post } from '../outbox/post.ts'

/** Whoever is about to be asked reads first what it is for. */
export async function postRemark(
  db: Db,
  after: Effects,
  { conversation, turn }: Scope,
  markdown: string,
): Promise<void> {
  if (markdown.trim() === '') return
  await post(db, after, conversation.id, { kind: 'remark', markdown, turnId: turn.id })
}
