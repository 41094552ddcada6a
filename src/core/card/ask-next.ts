import { findCardConversations } from '../../db/approval/card-copies.ts'
import { insertAsked, saveEscalation } from '../../db/approval/escalations.ts'
import { findReach } from '../../db/outbox/reach.ts'
import { isSamePerson } from '../../db/people/caller-links.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import type { Caller } from '../../domain/caller.ts'
import { mayApprove } from '../../rules/gate/approver-rule.ts'
import type { CoreContext } from '../context.ts'
import { notice } from '../outbox/post.ts'
import { findAnswerer } from '../people/find-answerer.ts'
import type { Transaction } from '../transaction.ts'
import { nameQuestion } from './batches.ts'
import { postQuestion } from './cards.ts'
import { ruleOf } from './count-votes.ts'
import { recordAbout } from './record-about.ts'

/**
 * APPR-19: asks the next of those whom questions escalate to, in private; from then on they may answer it. Whoever is away,
 * cannot be reached, or may not approve it is passed over. Call under the session's lock, for a question that waits.
 */
export async function askNext(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const { escalateTo, escalateAfterMs } = tx.ctx.settings.routing
  for (let at = approval.escalated; at < escalateTo.length; at += 1) {
    const next = await findNext(tx.ctx, tx.db, approval, escalateTo[at] ?? '')
    if (next === undefined) continue
    const isLast = at + 1 === escalateTo.length
    await saveEscalation(tx.db, approval.id, at + 1, isLast ? undefined : escalateAfterMs)
    return ask(tx, approval, next)
  }
  await saveEscalation(tx.db, approval.id, escalateTo.length, undefined)
  if (escalateTo.length === 0) return
  const { id, number } = approval
  tx.ctx.log.warn({ approval: id, number }, 'nobody was left to be asked next about a question')
}

interface Next {
  readonly caller: Caller
  readonly conversationId: string
}

async function findNext(
  ctx: CoreContext,
  db: Db,
  approval: ApprovalRow,
  id: string,
): Promise<Next | undefined> {
  const reach = (await findReach(db, [id])).find((person) => person.id === id)
  if (reach === undefined || reach.isAway || reach.conversationId === null) return undefined
  const caller = await findAnswerer(ctx, db, id)
  if (caller === undefined) return undefined
  const isSelf = await isSamePerson(db, caller.id, approval.caller_id)
  const approver = { ...caller, isSelf, isAsked: true }
  if (!mayApprove(approver, ruleOf(ctx, approval))) return undefined
  return { caller, conversationId: reach.conversationId }
}

async function ask(
  tx: Transaction,
  approval: ApprovalRow,
  { caller, conversationId }: Next,
): Promise<void> {
  const { id, number } = approval
  await insertAsked(tx.db, id, caller.id)
  const note = `question ${number} escalated to ${caller.id}`
  await recordAbout(tx.db, approval, { caller_id: caller.id, note })
  const isShownThere = (await findCardConversations(tx.db, id)).includes(conversationId)
  if (!isShownThere) await postQuestion(tx, approval, conversationId)
  if (conversationId === approval.conversation_id) return
  const { name, isOne, isSaid } = await nameQuestion(tx.db, approval)
  if (!isSaid) return
  const text = `${name} now ${isOne ? 'waits' : 'wait'} for ${caller.name} as well.`
  await notice(tx, approval.conversation_id, text, approval.caller_id)
}
