import { findApproval } from '../../db/approvals.ts'
import type { Db } from '../../db/schema.ts'
import { lockSession } from '../../db/sessions.ts'
import type { CardAction, Decision } from '../../domain/approval.ts'
import type { Caller } from '../../domain/caller.ts'
import type { TapAnswer } from '../../ports/chat.ts'
import { decideLocked, mayDecide, noSuchQuestion } from '../approval/decide.ts'
import { explain } from '../approval/explain.ts'
import type { Effects } from '../kernel/transact.ts'
import { adoptCopy } from '../outbox/adopt-copy.ts'
import type { InboundBody } from './inbound.ts'
import type { InboxKernel } from './inbox-kernel.ts'

const decisions: Readonly<Record<Exclude<CardAction, 'just_deny'>, Decision>> = {
  approve: { kind: 'approve' },
  always: { kind: 'always' },
  deny: { kind: 'deny', mayExplain: true },
}

/** A button of a card. Its words go to whoever tapped, and to nobody else (CHAT-02). */
export async function tapCard(
  kernel: InboxKernel,
  db: Db,
  after: Effects,
  caller: Caller,
  { approvalId, action, messageId, isThere }: Extract<InboundBody, { kind: 'tap' }>,
): Promise<TapAnswer> {
  const approval = await findApproval(db, approvalId)
  if (approval === undefined) return { text: noSuchQuestion.text, alert: true }
  await lockSession(db, approval.session_id)
  // THREAT-8: a card whose sending was not recorded is a copy like any other, once somebody who may answers there.
  if (isThere !== false && mayDecide(caller, approval.caller_id)) {
    await adoptCopy(db, after, approval, messageId)
  }
  const decided =
    action === 'just_deny'
      ? await explain(kernel, db, after, approval, caller, undefined)
      : await decideLocked(kernel, db, after, approval, caller, decisions[action])
  return { text: decided.text, alert: decided.kind !== 'applied' }
}
