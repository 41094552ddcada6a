import { findAsked } from '../../../db/approval/votes.ts'
import { isSamePerson } from '../../../db/people/caller-links.ts'
import { nameOf } from '../../../db/people/callers.ts'
import type { ApprovalRow, Db } from '../../../db/schema.ts'
import type { Caller } from '../../../domain/caller.ts'
import { may } from '../../../domain/rights.ts'
import { ruleOf } from '../../card/count-votes.ts'
import { whoMayAnswer } from '../../card/who-may-answer.ts'
import type { CoreContext } from '../../context.ts'
import type { Decided } from './decided.ts'

/**
 * CHAT-02: the caller of the turn, by any of their accounts (APPR-18), approvers and operators; whose turn it is they may end,
 * and its questions deny.
 */
export async function mayDecide(db: Db, by: Caller, callerId: string): Promise<boolean> {
  return may(by, 'decide_for_others') || (await isSamePerson(db, by.id, callerId))
}

/** What whoever may not answer a question at all is told; undefined: they may at least deny it. */
export async function refuseStranger(
  ctx: CoreContext,
  db: Db,
  approval: ApprovalRow,
  by: Caller,
): Promise<Decided | undefined> {
  if (await mayAnswer(db, approval, by)) return undefined
  const rule = ruleOf(ctx, approval)
  const owner = await nameOf(db, approval.caller_id)
  const isPlain = rule.leastRole === 'user' && rule.allowSelf && rule.people === 1
  const who = isPlain ? `${owner} or an approver` : whoMayAnswer(rule, owner)
  return { kind: 'forbidden', text: `You may not answer this; ${who} can.` }
}

/** Whoever may deny a question; whoever may approve it is one of them. */
export async function mayAnswer(
  db: Db,
  approval: Pick<ApprovalRow, 'id' | 'caller_id'>,
  by: Caller,
): Promise<boolean> {
  if (await mayDecide(db, by, approval.caller_id)) return true
  return (await findAsked(db, approval.id)).has(by.id)
}
