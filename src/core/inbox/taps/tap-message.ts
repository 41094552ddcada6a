import { findFileGrant, requestRules } from '../../../db/approval/file-grants.ts'
import { findGrant } from '../../../db/approval/grants.ts'
import { countVerdicts, findVerdicts } from '../../../db/audit/audit-feedback.ts'
import { findShown } from '../../../db/outbox/outbox.ts'
import type { ConversationRow, Db, TurnRow } from '../../../db/schema.ts'
import { ensureSession } from '../../../db/turn/sessions.ts'
import { hasTurnEndedSince } from '../../../db/turn/turn-activity.ts'
import { findLiveTurn, findTurn } from '../../../db/turn/turns.ts'
import { type Caller, may } from '../../../domain/caller.ts'
import type { GrantRef } from '../../../domain/grant-life.ts'
import { turnNumber } from '../../../domain/turn.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import type { Decided } from '../../approval/decide/settle-decision.ts'
import { takeBack } from '../../approval/grants.ts'
import { record } from '../../audit/record.ts'
import { readOutgoing } from '../../card/read-card.ts'
import { post, type Transaction } from '../../transaction.ts'
import type { CommandTransaction } from '../commands/command.ts'
import type { InboundBody, InboxContext } from '../inbound.ts'
import { type StopReach, stopRunning } from '../stop-running.ts'

/** Maximum ratings of one answer by a person: allows changes of mind without filling the audit. */
const mostOfOne = 10

/** SLACK-05: records a person's rating of an answer in the audit, without further effect; the last one counts. */
export async function tapFeedback(
  { settings, messages: { inbox: messages } }: Pick<InboxContext, 'settings' | 'messages'>,
  db: Db,
  caller: Caller,
  { turnId, verdict }: Extract<InboundBody, { kind: 'feedback' }>,
): Promise<TapAnswer> {
  const thanks: TapAnswer = { text: messages.thanks, alert: false }
  const turn = await findTurn(db, turnId)
  if (turn === undefined) return { text: messages.answerGone, alert: true }
  const about = { turnId, callerId: caller.id, since: turn.created_at }
  const said = await findVerdicts(db, about, mostOfOne)
  if (said[0] === verdict) return thanks
  if (said.length >= mostOfOne) {
    return { text: messages.tooManyRatings, alert: true }
  }
  const { messagesPerMinute = Infinity } = settings
  if ((await countVerdicts(db, caller.id)) >= messagesPerMinute) {
    return { text: messages.tooManyRequests, alert: true }
  }
  await record(db, {
    kind: 'feedback',
    chain: turn.session_id,
    session_id: turn.session_id,
    turn_id: turn.id,
    caller_id: caller.id,
    note: verdict,
  })
  return thanks
}

type Stop = Extract<InboundBody, { kind: 'stop' }>

/** Tolerated difference in milliseconds between a platform's clock and the database's. */
const clocksDifferMs = 5_000

/** LOOP-14: handles a stop button of a turn or of the platform. Stops that turn and no later one. */
export async function tapStop(tx: CommandTransaction, meant: Stop): Promise<TapAnswer> {
  const messages = tx.ctx.messages.inbox
  const turn = await findLiveTurn(tx.db, tx.session.id)
  if (turn === undefined || !(await isMeant(tx.db, turn, meant))) {
    return { text: messages.ended, alert: true }
  }
  const isStopped = await stopRunning(tx, turn, untilOf(meant))
  return isStopped
    ? { text: messages.stopped, alert: false }
    : { text: tx.ctx.messages.commands.stop.notYours, alert: true }
}

/** Messages written after the tap stay, however late the tap arrived. */
function untilOf({ pressedAt }: Stop): StopReach {
  return pressedAt === undefined ? {} : { until: new Date(pressedAt + clocksDifferMs) }
}

async function isMeant(
  db: Db,
  turn: TurnRow,
  { turnId, turnNumber: number, pressedAt }: Stop,
): Promise<boolean> {
  if (turnId !== undefined) return turn.id === turnId
  if (number !== undefined) return turnNumber(turn.id) === number
  return pressedAt === undefined || !(await isLate(db, turn, pressedAt))
}

/** Whether the tap precedes the turn: beyond the clock tolerance, or within it if another turn could be meant. */
async function isLate(
  db: Db,
  { session_id, created_at }: TurnRow,
  pressedAt: number,
): Promise<boolean> {
  const tooEarlyMs = created_at.getTime() - pressedAt
  if (tooEarlyMs <= 0) return false
  if (tooEarlyMs > clocksDifferMs) return true
  return hasTurnEndedSince(db, session_id, new Date(pressedAt - clocksDifferMs))
}

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
