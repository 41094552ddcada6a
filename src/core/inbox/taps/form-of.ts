import { findApproval } from '../../../db/approval/approvals.ts'
import type { Incoming, TapForm } from '../../../ports/chat.ts'
import { formFor } from '../../approval/decide/form-for.ts'
import type { CoreContext } from '../../context.ts'
import { admit } from '../admit.ts'

import { findButton } from './find-button.ts'

/**
 * The form that a tap opens before it counts, on platforms that have forms: for a reason, or for what a call should be.
 * Undefined: none, or whoever tapped may not, and is told so when the tap is taken. What the form brings back is a tap like
 * any other, of which everything is looked at again.
 */
export async function formOf(ctx: CoreContext, incoming: Incoming): Promise<TapForm | undefined> {
  const { db } = ctx
  const { act } = incoming
  if (act.kind !== 'tap' || act.written !== undefined) return undefined
  const button = await findButton(db, incoming, act.token)
  const approvalId = button?.approval_id ?? undefined
  if (button === undefined || approvalId === undefined) return undefined
  const approval = await findApproval(db, approvalId)
  const caller = approval === undefined ? undefined : await admit(ctx, db, incoming)
  if (approval === undefined || caller === undefined) return undefined
  return formFor({ ctx, db }, approval, caller, button.action)
}
