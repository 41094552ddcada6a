import { findApproval } from '../../db/approval/approvals.ts'
import type { Db } from '../../db/schema.ts'
import { readAttachment } from '../../db/upload/attachments.ts'
import type { Caller } from '../../domain/caller.ts'
import { isId } from '../../util/is-id.ts'
import { readCard } from '../card/read-card.ts'
import { mayDecide } from './decide/may-answer.ts'

/** The file of a question that waits, for somebody who may answer it; undefined: there is none for them. */
export async function readQuestionFile(
  db: Db,
  caller: Caller,
  approvalId: string,
): Promise<{ readonly name: string; readonly content: Uint8Array } | undefined> {
  const approval = isId(approvalId) ? await findApproval(db, approvalId) : undefined
  if (approval?.state !== 'pending') return undefined
  if (!(await mayDecide(db, caller, approval.caller_id))) return undefined
  const { file } = readCard(approval)
  const content = file === undefined ? undefined : await readAttachment(db, file.id)
  return file === undefined || content === undefined ? undefined : { name: file.name, content }
}
