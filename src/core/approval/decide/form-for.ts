import { getCall } from '../../../db/call/tool-calls.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { TapForm } from '../../../ports/chat.ts'
import { editableText } from '../../../rules/tools/edited-arguments.ts'
import { findTool } from '../../../rules/tools/registry.ts'
import type { Connected } from '../../transaction.ts'
import { mayAnswer } from './may-answer.ts'

/** What a button asks of somebody before it counts; undefined: nothing, or not of them. */
export async function formFor(
  tx: Connected,
  approval: ApprovalRow,
  by: Caller,
  action: string,
): Promise<TapForm | undefined> {
  const asks = action === 'deny' || action === 'edit'
  if (!asks || approval.state !== 'pending' || !(await mayAnswer(tx.db, approval, by)))
    return undefined
  const about = `question ${approval.number}`
  if (action === 'deny') return { kind: 'reason', about }
  const { tool, arguments: text } = await getCall(tx.db, approval.call_id)
  const present = editableText(findTool(tool), text)
  // A mark in the place of a secret must not become what the call says.
  return { kind: 'edit', about, present: tx.ctx.redact(present) === present ? present : '' }
}
