import { findFileGrant, requestRules } from '../../../db/approval/file-grants.ts'
import { findGrant } from '../../../db/approval/grants.ts'
import { findShown } from '../../../db/outbox/outbox.ts'
import type { ConversationRow, Db } from '../../../db/schema.ts'
import { ensureSession } from '../../../db/turn/sessions.ts'
import { type Caller, may } from '../../../domain/caller.ts'
import type { GrantRef } from '../../../domain/grant-life.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import type { Decided } from '../../approval/decide/may-answer.ts'
import { takeBack } from '../../approval/grants.ts'
import { readOutgoing } from '../../card/read-card.ts'
import { post } from '../../outbox/post.ts'
import type { Transaction } from '../../transaction.ts'
import type { InboundBody } from '../inbound.ts'
import type { InboxContext } from '../inbox-context.ts'

/**
 * APPR-15: handles a button below a list of grants. The right to revoke is checked now, whoever was shown the list (THREAT-8).
 */
export async function tapRevoke(
  tx: Transaction<InboxContext>,
  conversation: ConversationRow,
  caller: Caller,
  { grant, messageId }: Extract<InboundBody, { kind: 'revoke' }>,
): Promise<TapAnswer> {
  const decided =
    grant.kind === 'session'
      ? await takeBackOne(tx.ctx, tx.db, grant.id, caller)
      : await takeOut(tx, conversation, grant.id, caller)
  if (decided.kind !== 'forbidden') {
    await dropButton(tx, conversation.id, messageId, grant)
  }
  return { text: decided.text, alert: decided.kind !== 'applied' }
}

function unknown({ messages }: InboxContext): Decided {
  return { kind: 'unknown', text: messages.grants.none }
}

async function takeBackOne(
  ctx: InboxContext,
  db: Db,
  id: string,
  caller: Caller,
): Promise<Decided> {
  const grant = await findGrant(db, id)
  return grant === undefined ? unknown(ctx) : takeBack(ctx, db, grant, caller)
}

async function takeOut(
  tx: Transaction<InboxContext>,
  conversation: ConversationRow,
  id: string,
  caller: Caller,
): Promise<Decided> {
  const rule = await findFileGrant(tx.db, { id })
  if (rule === undefined) return unknown(tx.ctx)
  if (!may(caller, 'allow_for_everybody')) {
    return { kind: 'forbidden', text: tx.ctx.messages.grants.approversOnly }
  }
  const session = await ensureSession(
    tx.db,
    conversation.id,
    conversation.worker ?? tx.ctx.settings.worker,
  )
  const order = { sessionId: session.id, conversationId: conversation.id, callerId: caller.id }
  await requestRules(tx.db, { ...order, fileGrantId: id })
  tx.effects.orderRules()
  return { kind: 'applied', text: tx.ctx.messages.grants.ruleBeingRemoved(rule) }
}

/** Removes the used button from the list. */
async function dropButton(
  tx: Transaction,
  conversationId: string,
  messageId: string,
  grant: GrantRef,
): Promise<void> {
  const shown = await findShown(tx.db, conversationId, messageId)
  if (shown === undefined) return
  const message = readOutgoing(shown.body)
  if (message?.kind !== 'notice' || message.revokes === undefined) return
  const revokes = message.revokes.filter((button) => button.grant.id !== grant.id)
  if (revokes.length === message.revokes.length) return
  await post(tx, conversationId, { ...message, revokes }, { editOf: shown.id })
}
