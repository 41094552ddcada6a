import { findApproval } from '../../../db/approval/approvals.ts'
import type { ApprovalRow, Db } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { CoreContext } from '../../context.ts'
import type { Decided } from './decided.ts'
import { refuseStranger } from './may-answer.ts'

export type LockedQuestion =
  | { readonly kind: 'question'; readonly approval: ApprovalRow }
  | { readonly kind: 'refused'; readonly decided: Decided }

export const noSuchQuestion: Decided = { kind: 'unknown', text: 'There is no such question.' }

/** A question as it is now, for somebody who may at least deny it. Takes the session's lock first. */
export async function lockQuestion(
  ctx: CoreContext,
  db: Db,
  known: Pick<ApprovalRow, 'id' | 'session_id'>,
  by: Caller,
): Promise<LockedQuestion> {
  await lockSession(db, known.session_id)
  const approval = await findApproval(db, known.id)
  if (approval === undefined) return { kind: 'refused', decided: noSuchQuestion }
  const decided = await refuseStranger(ctx, db, approval, by)
  return decided === undefined ? { kind: 'question', approval } : { kind: 'refused', decided }
}
