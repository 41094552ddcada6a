import { findApproval } from '../../../db/approval/approvals.ts'
import { holdApiCaller } from '../../../db/people/api-tokens.ts'
import type { Db } from '../../../db/schema.ts'
import { readAttachment } from '../../../db/upload/attachments.ts'
import type { Decision } from '../../../domain/approval.ts'
import type { Caller } from '../../../domain/caller.ts'
import { isId } from '../../../util/ids.ts'
import { readCard } from '../../card/read-card.ts'
import type { CoreContext } from '../../context.ts'
import { transact } from '../../transaction.ts'
import { decideLocked } from './decide.ts'
import { mayDecide } from './settle-decision.ts'

/** Answer of an API client; the ids are unvalidated input. */
interface ProgramAnswer {
  readonly sessionId: string
  readonly approvalId: string
  readonly decision: Decision
}

interface ProgramAnswered {
  readonly applied: boolean
  /** Result in words; the same for approvals the client may not answer and for those that do not exist. */
  readonly message: string
}

/**
 * APPR-11: records an API client's answer like a tap (APPR-04), with the role in force now. Returns undefined if the token is
 * revoked or unknown.
 */
export function answerAsProgram(
  ctx: CoreContext,
  tokenSha256: string,
  answer: ProgramAnswer,
): Promise<ProgramAnswered | undefined> {
  return transact(ctx, async (tx) => {
    const caller = await holdApiCaller(tx.db, tokenSha256)
    if (caller === undefined) return undefined
    const approval = await findOwn(tx.db, caller, answer)
    if (approval === undefined)
      return { applied: false, message: ctx.messages.approvals.noneForProgram }
    const { kind, text } = await decideLocked(tx, approval, {
      by: caller,
      decision: answer.decision,
    })
    return { applied: kind === 'applied', message: text }
  })
}

async function findOwn(db: Db, caller: Caller, { sessionId, approvalId }: ProgramAnswer) {
  if (!isId(approvalId)) return undefined
  const approval = await findApproval(db, approvalId)
  if (approval?.session_id !== sessionId) return undefined
  return (await mayDecide(db, caller, approval.caller_id)) ? approval : undefined
}

/** Reads the file attached to a pending approval, for a person who may answer it; undefined if there is none for them. */
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
