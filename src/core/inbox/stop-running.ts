import { findHeldBack, markHandled } from '../../db/outbox/inbox.ts'
import type { MessageRow, TurnRow } from '../../db/schema.ts'
import { assignPositions, findUnread } from '../../db/turn/messages.ts'
import { findUnreadUploads } from '../../db/upload/unread-uploads.ts'
import { dropUploadsOfEvents } from '../../db/upload/uploads.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { mayDecide } from '../approval/decide/settle-decision.ts'
import { endNotice } from '../transaction.ts'
import { stopTurn } from '../turn/end-turn.ts'
import { reportUploads } from '../turn/put-uploads.ts'
import { startNextTurn } from '../turn/start-turn.ts'
import { type CommandTransaction, noteCommand } from './commands/command.ts'
import { restartBox } from './commands/is-private.ts'
import { inboundBody } from './inbound.ts'

const mostNames = 5

/** Unread messages dropped with a stopped turn. */
export interface StopReach {
  /** Author whose messages are dropped besides those of the turn's caller. */
  readonly alsoFrom?: string
  /** Later messages stay. */
  readonly until?: Date
}

/**
 * LOOP-14: stops a turn for its caller, an approver or an operator, with a notice in the conversation, and drops what its caller
 * wrote before. Returns false, without changes, if they may not.
 */
export async function stopRunning(
  tx: CommandTransaction,
  turn: TurnRow,
  { alsoFrom, until }: StopReach = {},
): Promise<boolean> {
  const { ctx, db, conversation, session, caller, isElsewhere } = tx
  if (!(await mayDecide(db, caller, turn.caller_id))) return false
  await stopTurn(tx, turn, { by: caller, why: 'stopped' })
  await restartBox(tx)
  await noteCommand(tx, '/stop', turn.id)
  const author = turn.caller_id
  const whose = [...new Set([author, alsoFrom ?? author])]
  const unread = (await findUnread(db, session.id)).filter(
    (message) =>
      whose.includes(message.author) && (until === undefined || message.created_at <= until),
  )
  await placeFiles(tx, unread)
  await assignPositions(db, turn, unread)
  const held = await discardPending(tx, whose, until)
  const others = unread.filter((message) => message.author !== author).length
  const aside = discardedSentence(ctx.messages, { ...held, messages: held.messages + others })
  const text = `${ctx.messages.commands.stop.done({ name: caller.name })}${aside}`
  // If the person who stopped it is elsewhere, the turn's caller is notified.
  const own = { id: turn.id, conversationId: conversation.id }
  await endNotice(tx, own, text, isElsewhere ? author : caller.id)
  await startNextTurn(tx, session)
  return true
}

/** Adds the state of the files to these messages and notifies people. */
async function placeFiles(tx: CommandTransaction, messages: readonly MessageRow[]): Promise<void> {
  const { db, conversation, session } = tx

  const ids = new Set(messages.map(({ id }) => id))
  for (const author of new Set(messages.map((message) => message.author))) {
    const files = await findUnreadUploads(db, { sessionId: session.id, author })
    const theirs = files.filter(({ message_id: id }) => ids.has(id))
    await reportUploads(tx, conversation.id, theirs)
  }
}

/** Unread content that was discarded: file names, and the number of messages with text. */
interface Discarded {
  readonly names: readonly string[]
  readonly messages: number
}

/**
 * LOOP-14, CHAT-07: discards what these people wrote here before this event and nobody has read, because it waits for a file,
 * behind one, or for the rate limit. `by`: time of a later event by the platform's clock; messages after it stay.
 */
export async function discardPending(
  tx: CommandTransaction,
  callerIds: readonly string[],
  by?: Date,
): Promise<Discarded> {
  const { db, conversation, eventId } = tx

  const before = { conversationId: conversation.id, eventId }
  const held = (await findHeldBack(db, before, callerIds)).flatMap((event) => {
    const body = inboundBody.parse(JSON.parse(event.body))
    const isMeant = by === undefined || event.received_at <= by
    const isWritten = body.kind === 'message' || body.kind === 'files'
    return isMeant && isWritten ? [{ id: event.id, text: body.text }] : []
  })
  if (held.length === 0) return { names: [], messages: 0 }
  for (const { id } of held) await markHandled(db, id)
  const names = await dropUploadsOfEvents(
    db,
    held.map(({ id }) => id),
  )
  return { names, messages: held.filter(({ text }) => text !== '').length }
}

/** Formats `“a.txt” and 2 messages`; undefined if empty. */
export function describeDiscarded(
  { commands, format }: Messages,
  { names, messages }: Discarded,
): string | undefined {
  const more = names.length - mostNames
  const parts = [
    ...names.slice(0, mostNames).map((name) => `“${name}”`),
    ...(more > 0 ? [commands.stop.moreFiles({ count: more })] : []),
    ...(messages > 0 ? [commands.stop.messages({ count: messages })] : []),
  ]
  return parts.length === 0 ? undefined : format.all(parts)
}

/** Formats a sentence with a leading blank; empty if nothing was discarded. */
export function discardedSentence(messages: Messages, aside: Discarded): string {
  const what = describeDiscarded(messages, aside)
  return what === undefined ? '' : ` ${messages.commands.stop.discarded({ what })}`
}
