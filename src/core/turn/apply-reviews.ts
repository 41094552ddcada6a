import { hasQuestion } from '../../db/approval/approvals.ts'
import type { Db } from '../../db/schema.ts'
import { getMessageBody } from '../../db/turn/messages.ts'
import type { TranscriptMessage } from '../../domain/message.ts'
import { requestApprovals } from '../approval/request-approvals.ts'
import type { Ask } from '../call/ask-again.ts'
import type { Scope } from '../call/gate/call-kernel.ts'
import { loadFacts } from '../call/gate/load-facts.ts'
import { type Reviewed, settleReviews } from '../call/settle-reviews.ts'
import type { Effects } from '../kernel/transact.ts'
import { postRemark } from './post-remark.ts'
import type { TurnKernel } from './turn-kernel.ts'

/** POL-05: what the reviewer said takes effect, and people are asked about what is left to ask. */
export async function applyReviews(
  kernel: TurnKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  known: readonly Reviewed[],
): Promise<void> {
  if (known.length === 0) return
  const facts = await loadFacts(kernel, db, scope.session, scope.turn)
  const asking = { kernel, db, after, scope, facts }
  const asks = await settleReviews(asking, known)
  if (asks.length === 0) return
  await remark(db, after, scope, asks)
  await requestApprovals(asking, asks)
}

/** Once a batch: who is asked about it later has read it already. */
async function remark(db: Db, after: Effects, scope: Scope, asks: readonly Ask[]): Promise<void> {
  const messageId = asks[0]?.call.message_id
  if (messageId == null || (await hasQuestion(db, messageId))) return
  const message: TranscriptMessage = JSON.parse(await getMessageBody(db, messageId))
  if (message.role === 'assistant') {
    await postRemark(db, after, scope, message.spoken ?? message.text)
  }
}
