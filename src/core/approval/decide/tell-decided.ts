import type { ApprovalRow } from '../../../db/schema.ts'
import type { Effects } from '../../transaction.ts'

/** Tells how a question ended: by a person, by time, by a grant, or because its turn is over. */
export function tellDecided(effects: Effects, ended: ApprovalRow): void {
  const { id, conversation_id, turn_id, call_id, tool, state, created_at, decided_at } = ended
  if (state === 'pending' || state === 'superseded') return
  effects.tell({
    kind: 'approval_decided',
    turnId: turn_id,
    callId: call_id,
    tool,
    approvalId: id,
    conversationId: conversation_id,
    decision: ended.always_effect === 'none' ? state : 'always',
    waitedMs: (decided_at?.getTime() ?? 0) - created_at.getTime(),
  })
}
