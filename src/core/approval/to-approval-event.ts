import type {
  EndedQuestion,
  OpenQuestion,
  WholeQuestion,
} from '../../db/approval/open-questions.ts'
import type { Card } from '../../domain/approval.ts'
import type { ToolApprovalRequired, ToolApprovalResolved } from '../../domain/approval-event.ts'
import { readCard } from '../card/read-card.ts'

/** A question as programs are told of it: its exact arguments, and beside them what its card says. */
export function toRequired(question: WholeQuestion): ToolApprovalRequired {
  const card = readCard(question)
  return {
    type: 'tool_approval_required',
    approvalId: question.id,
    sessionId: question.sessionId,
    toolName: question.tool,
    arguments: question.arguments,
    number: card.number,
    what: card.what,
    reasons: card.reasons,
    // The card may have room for some of them only.
    alwaysPatterns: card.tooLarge === true ? [] : JSON.parse(question.alwaysPatterns),
    risk: question.risk,
    requestedBy: card.requestedBy,
    callerId: question.callerId,
    whoMayAnswer: card.whoMayAnswer,
    expiresAt: question.expiresAt.toISOString(),
    ...(card.warning === undefined ? {} : { warning: card.warning }),
    ...(card.tooLarge === undefined ? {} : { tooLarge: card.tooLarge }),
    ...fileOf(question.id, card),
  }
}

function fileOf(approvalId: string, { file }: Card): Pick<ToolApprovalRequired, 'file'> {
  if (file === undefined) return {}
  const { name, bytes, lines, sha256 } = file
  return { file: { name, bytes, lines, sha256, path: `/v1/tool/approvals/${approvalId}/file` } }
}

/** How a question ended; `end` is undefined when its session is gone, and it with it. */
export function toResolved(
  { id, sessionId }: Pick<OpenQuestion, 'id' | 'sessionId'>,
  end: EndedQuestion | undefined,
): ToolApprovalResolved {
  const state = end?.state ?? 'cancelled'
  return {
    type: 'tool_approval_resolved',
    approvalId: id,
    sessionId,
    // Nothing that ended is ever open again.
    state: state === 'pending' ? 'cancelled' : state,
    always: end?.always ?? false,
    decidedBy: end?.decidedBy ?? null,
    decidedByName: end?.decidedByName ?? null,
    decidedAt: end?.decidedAt?.toISOString() ?? null,
    reason: end?.reason ?? null,
  }
}
