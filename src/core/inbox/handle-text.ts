import { findPending } from '../../db/approval/approvals.ts'
import { findExplaining, findExplainingHere } from '../../db/approval/due-approvals.ts'
import { findEditable } from '../../db/approval/edited-calls.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { keepMessage } from '../../db/turn/turn-steps.ts'
import { findLiveTurn } from '../../db/turn/turns.ts'
import { remoteTitles } from '../../domain/chat-platforms.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { toStorable } from '../../util/text/storable.ts'
import { editCall } from '../approval/decide/edit-call.ts'
import { explain, longestReason, noteKept } from '../approval/decide/give-reason.ts'
import { noticeOnce } from '../transaction.ts'
import { tellNext } from '../turn/start-turn.ts'
import { type CommandTransaction, replyAlone } from './commands/command.ts'
import { findCommand, unknownCommand } from './commands/find-command.ts'
import { parsePairing } from './pairing/pairing-code.ts'

/** What a person wrote: a slash command, the reason of a denial, or a message for the model. `handled`: its event is marked so. */
export async function handleText(
  tx: CommandTransaction,
  text: string,
  replyTo: string | undefined,
): Promise<'handled' | undefined> {
  // Chat platforms handle codes at intake already.
  if (parsePairing(text)?.kind === 'code') {
    await replyAlone(tx, tx.ctx.messages.inbox.codeElsewhere({ platforms: remoteTitles }))
    return undefined
  }
  const [name = '', ...rest] = text.slice(1).split(/\s+/)
  const command = text.startsWith('/') ? findCommand(name) : undefined
  // An edited bash command may start with a slash too.
  const isReply = command === undefined && replyTo !== undefined
  if (isReply && (await isEdit(tx, text, replyTo))) return undefined
  if (!text.startsWith('/')) {
    if (isReply && (await isReason(tx, text, replyTo))) return undefined
    return (await takeReason(tx, text)) ? undefined : takeMessage(tx, text)
  }
  if (command === undefined) await unknownCommand(tx, name)
  else await command.run(tx, text.slice(1 + name.length).trim(), rest)
  return undefined
}

/** DECISION-17: takes a reply to a denied card as the reason of that denial alone. */
async function isReason(tx: CommandTransaction, text: string, replyTo: string): Promise<boolean> {
  const { db, conversation, caller } = tx
  const denied = await findExplaining(db, conversation.id, caller.id, replyTo)
  if (denied === undefined) return false
  const explained = await explain(tx, denied, caller, text)
  return explained.kind === 'applied'
}

/** APPR-14, DECISION-17: takes a reply to a card as the edited call; an invalid one is rejected and may be repeated. */
async function isEdit(tx: CommandTransaction, text: string, replyTo: string): Promise<boolean> {
  const { db, conversation, caller } = tx
  const known = await findEditable(db, conversation.id, caller.id, replyTo)
  if (known === undefined) return false
  const edited = await editCall(tx, known, caller, text)
  if (edited.kind !== 'applied') await replyAlone(tx, edited.text)
  return true
}

/**
 * APPR-09: stores a message and acknowledges it; it is read at the next step, or by a turn of its own. `onKept`: stores what
 * belongs to its row.
 */
export async function takeMessage(
  tx: CommandTransaction,
  text: string,
  onKept?: (messageId: string) => Promise<void>,
): Promise<'handled'> {
  const { ctx, db, conversation, session, caller: author, eventId } = tx
  const kept = { eventId, sessionId: session.id, author: author.id, text: toStorable(text) }
  const { messageId, turnId } = await keepMessage(db, kept)
  await onKept?.(messageId)
  if (turnId !== undefined) {
    tellNext(tx.effects, session, turnId)
    return 'handled'
  }
  const live = await findLiveTurn(db, session.id)
  const own = live?.caller_id === author.id
  if (own) await noteKept(tx, session)
  const waiting = await findPending(db, session.id)
  await noticeOnce(tx, conversation.id, acknowledge(ctx.messages, own, waiting), author.id)
  return 'handled'
}

function acknowledge(
  { approvals, inbox }: Messages,
  own: boolean,
  waiting: readonly ApprovalRow[],
): string {
  if (!own) return inbox.notedForLater
  if (waiting.length === 0) return inbox.noted
  const numbers = waiting.map(({ number }) => number).join(', ')
  return `${inbox.noted} ${approvals.waitAfterMessage({ numbers, isOne: waiting.length === 1 })}`
}

/**
 * TG-03, DECISION-17: takes a message as the reason of denials its author has just made in the conversation of the requests,
 * whose turns then continue; elsewhere only a reply to the card counts. Returns false if no denial here waits for a reason of
 * theirs, or the text cannot be one and is still a message: if it is too long, or undefined (a message with files). Both still
 * end the wait.
 */
export async function takeReason(
  tx: CommandTransaction,
  text: string | undefined,
): Promise<boolean> {
  const { db, conversation, caller } = tx
  if (!tx.awaitsReason) return false
  const reason = text !== undefined && text.length <= longestReason ? text : undefined
  let isExplained = false
  for (const denied of await findExplainingHere(db, conversation.id, caller.id)) {
    const { kind } = await explain(tx, denied, caller, reason)
    if (kind === 'applied') isExplained = true
  }
  return isExplained && reason !== undefined
}
