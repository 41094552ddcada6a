import { findApproval } from '../../../db/approval/approvals.ts'
import { holdApiCaller } from '../../../db/people/api-tokens.ts'
import type { Db } from '../../../db/schema.ts'
import type { Decision } from '../../../domain/approval.ts'
import type { Caller } from '../../../domain/caller.ts'
import { isId } from '../../../util/is-id.ts'
import type { CoreContext } from '../../context.ts'
import { transact } from '../../transaction.ts'
import { decideLocked } from './decide.ts'
import { mayDecide } from './may-answer.ts'

/** What a program answers; the ids are whatever it sent. */
export interface ProgramAnswer {
  readonly sessionId: string
  readonly approvalId: string
  readonly decision: Decision
}

export interface ProgramAnswered {
  readonly applied: boolean
  /** In words; of what is not the program's to answer, the same as of what does not exist. */
  readonly message: string
}

const notYours: ProgramAnswered = {
  applied: false,
  message: 'There is no such question in this session for you to answer.',
}

/**
 * APPR-11: the holder of a token answers a question, as a tap does (APPR-04), with the role in force now. undefined: the token
 * is nobody's any more.
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
    if (approval === undefined) return notYours
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
