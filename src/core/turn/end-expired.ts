import { endApproval } from '../../db/approval/approvals.ts'
import { findExpired } from '../../db/approval/due-approvals.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { endTurn, getTurn } from '../../db/turn/turns.ts'
import { tellDecided } from '../approval/decide/tell-decided.ts'
import { expireApprovals } from '../approval/expire.ts'
import { updateCard } from '../card/cards.ts'
import { attempt } from '../kernel/attempt.ts'
import { transact } from '../kernel/transact.ts'
import { endNotice } from '../outbox/post.ts'
import { startNextTurn } from '../session/start-turn.ts'
import { closeTurn } from './close-turn.ts'
import { lockScope } from './lock-scope.ts'
import { tellEnded } from './tell-ended.ts'
import type { TurnKernel } from './turn-kernel.ts'

const why = 'a question expired'

/** APPR-19: what the operator wants of questions that nobody answered in time. */
export async function endExpired(kernel: TurnKernel): Promise<void> {
  if (kernel.settings.onExpiry !== 'stop') return expireApprovals(kernel)
  for (const approval of await findExpired(kernel.db)) {
    await attempt(kernel, 'stop a turn', () => stop(kernel, approval))
  }
}

/** The turn ends as with `/stop`, by nobody; what was written meanwhile was promised to be read, and gets its turn. */
function stop(kernel: TurnKernel, expired: ApprovalRow): Promise<void> {
  return transact(kernel, async (db, after) => {
    const turn = await getTurn(db, expired.turn_id)
    const { session, conversation } = await lockScope(db, turn)
    const ended = await endApproval(db, expired.id, { state: 'expired' })
    if (ended === undefined) return
    tellDecided(after, ended)
    const at = (ended.decided_at ?? new Date()).toISOString()
    await updateCard(db, after, ended, { kind: 'expired', at })
    const stopped = await endTurn(db, turn.id, { state: 'stopped', failure: why })
    if (stopped !== undefined) tellEnded(after, stopped)
    after.abortTurn(turn.id)
    await closeTurn(kernel, db, after, turn, { why })
    const text = `Question ${ended.number} (${ended.tool}) expired unanswered, so the turn was stopped. Write again to go on.`
    const own = { id: turn.id, conversationId: conversation.id }
    await endNotice(db, after, own, text, turn.caller_id)
    await startNextTurn(db, after, session)
  })
}
