import { findPending } from '../../db/approval/approvals.ts'
import { findEditable } from '../../db/approval/edited-calls.ts'
import { findExplaining } from '../../db/approval/reason-waits.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { keepMessage } from '../../db/turn/turn-steps.ts'
import { findLiveTurn } from '../../db/turn/turns.ts'
import { toStorable } from '../../util/text/storable.ts'
import { editCall } from '../approval/decide/edit-call.ts'
import { explain } from '../approval/decide/explain.ts'
import { noteKept } from '../approval/decide/note-kept.ts'
import { noticeOnce } from '../outbox/post.ts'
import { tellNext } from '../session/start-turn.ts'
import { type CommandTransaction, replyAlone } from './commands/command.ts'
import { findCommand, unknownCommand } from './commands/find-command.ts'
import { explainOpen } from './explain-open.ts'
import { parsePairing } from './pairing/pairing-code.ts'

const codeElsewhere =
  'A code is taken in a private chat of Telegram or Slack: to link this account, write /link here, and send what it gives there.'

/** What a person wrote: a slash command, the reason of a denial, or a message for the model. `handled`: its event is marked so. */
export async function handleText(
  tx: CommandTransaction,
  text: string,
  replyTo: string | undefined,
): Promise<'handled' | undefined> {
  // The door for platforms has taken those of chats already.
  if (parsePairing(text)?.kind === 'code') {
    await replyAlone(tx, codeElsewhere)
    return undefined
  }
  const [name = '', ...rest] = text.slice(1).split(/\s+/)
  const command = text.startsWith('/') ? findCommand(name) : undefined
  // A command for bash may begin with a slash too.
  const isReply = command === undefined && replyTo !== undefined
  if (isReply && (await isEdit(tx, text, replyTo))) return undefined
  if (!text.startsWith('/')) {
    if (isReply && (await isReason(tx, text, replyTo))) return undefined
    return (await explainOpen(tx, text)) ? undefined : takeMessage(tx, text)
  }
  if (command === undefined) await unknownCommand(tx, name)
  else await command.run(tx, text.slice(1 + name.length).trim(), rest)
  return undefined
}

/** DECISION-17: a reply to one of several denied cards is the reason of that one alone. */
async function isReason(tx: CommandTransaction, text: string, replyTo: string): Promise<boolean> {
  const { db, conversation, caller } = tx
  const denied = await findExplaining(db, conversation.id, caller.id, replyTo)
  if (denied === undefined) return false
  const explained = await explain(tx, denied, caller, text)
  return explained.kind === 'applied'
}

/** APPR-14, DECISION-17: the same for what a call should be; what cannot be is told, and may be tried again. */
async function isEdit(tx: CommandTransaction, text: string, replyTo: string): Promise<boolean> {
  const { db, conversation, caller } = tx
  const known = await findEditable(db, conversation.id, caller.id, replyTo)
  if (known === undefined) return false
  const edited = await editCall(tx, known, caller, text)
  if (edited.kind !== 'applied') await replyAlone(tx, edited.text)
  return true
}

/** APPR-09: kept and acknowledged at once; read at the next step, or by a turn of its own. `onKept`: what belongs to its row. */
export async function takeMessage(
  tx: CommandTransaction,
  text: string,
  onKept?: (messageId: string) => Promise<void>,
): Promise<'handled'> {
  const { db, conversation, session, caller: author, eventId } = tx
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
  await noticeOnce(tx, conversation.id, acknowledge(own, waiting), author.id)
  return 'handled'
}

function acknowledge(own: boolean, waiting: readonly ApprovalRow[]): string {
  if (!own) return 'Noted. It gets a turn of its own when the present one has ended.'
  const numbers = waiting.map(({ number }) => number).join(', ')
  if (waiting.length === 0) return 'Noted; the model reads it at its next step.'
  const still = waiting.length === 1 ? `Question ${numbers} still waits` : `${numbers} still wait`
  return `Noted; the model reads it at its next step. ${still} for an answer.`
}
