import { findApproval } from '../../../db/approval/approvals.ts'
import type { Db } from '../../../db/schema.ts'
import type { Caller } from '../../../domain/caller.ts'
import { decideLocked } from '../../approval/decide/decide.ts'
import { noSuchQuestion } from '../../approval/decide/lock-question.ts'
import type { Effects } from '../../kernel/transact.ts'
import { notice } from '../../outbox/post.ts'
import type { InboundBody } from '../inbound.ts'
import type { InboxKernel } from '../inbox-kernel.ts'

/** A tap on a card. The card tells what was applied; only what was not needs words of its own. */
export async function decideInbound(
  kernel: InboxKernel,
  db: Db,
  after: Effects,
  conversationId: string,
  caller: Caller,
  body: Extract<InboundBody, { kind: 'decision' }>,
): Promise<void> {
  const approval = await findApproval(db, body.approvalId)
  const decided =
    approval === undefined
      ? noSuchQuestion
      : await decideLocked(kernel, db, after, approval, caller, body.decision, conversationId)
  if (decided.kind !== 'applied') await notice(db, after, conversationId, decided.text)
}
