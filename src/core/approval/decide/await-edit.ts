import { openEditWindow } from '../../../db/approval/edited-calls.ts'
import type { ApprovalRow, Db } from '../../../db/schema.ts'
import type { Caller } from '../../../domain/caller.ts'
import { findTool } from '../../../rules/tools/registry.ts'
import type { CoreContext } from '../../context.ts'
import type { Decided } from './decided.ts'
import { describeState } from './describe-state.ts'
import { refuseStranger } from './may-answer.ts'

/** How long a reply to the card is taken for what it should ask about. */
const editMs = 10 * 60_000

/** APPR-14: whoever may answer a question may reply with what it should be; until then it waits for answers as before. */
export async function awaitEdit(
  ctx: CoreContext,
  db: Db,
  approval: ApprovalRow,
  by: Caller,
): Promise<Decided> {
  const refused = await refuseStranger(ctx, db, approval, by)
  if (refused !== undefined) return refused
  if (approval.state !== 'pending') return { kind: 'late', text: await describeState(db, approval) }
  await openEditWindow(db, approval.id, by.id, editMs)
  return { kind: 'applied', text: `Reply to the card within 10 minutes with ${whatFor(approval)}.` }
}

function whatFor({ tool }: ApprovalRow): string {
  switch (findTool(tool)?.ruledBy?.kind) {
    case 'command':
      return 'the command as it should be'
    case 'url':
      return 'the URL as it should be'
    default:
      return 'a JSON object of the arguments to change'
  }
}
