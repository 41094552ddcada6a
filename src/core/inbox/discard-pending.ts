import { findHeldBack, markHandled } from '../../db/outbox/inbox.ts'
import { dropUploadsOfEvents } from '../../db/upload/uploads.ts'
import type { CommandTransaction } from './commands/command.ts'
import { inboundBody } from './inbound.ts'

const mostNames = 5
const inWords = new Intl.ListFormat('en', { type: 'conjunction' })

/** What is never read: files by their names, and how many messages had words. */
export interface Aside {
  readonly names: readonly string[]
  readonly messages: number
}

/**
 * LOOP-14, CHAT-07: what these people wrote here before this event and what nobody has read yet, since it waits for a file, behind one,
 * or for a slower pace. It is never read. `by`: the platform's word of when, of an event that came later; nothing after it is meant.
 */
export async function discardPending(
  tx: CommandTransaction,
  callerIds: readonly string[],
  by?: Date,
): Promise<Aside> {
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

/** `“a.txt” and 2 messages`; undefined: nothing is. */
export function describeAside({ names, messages }: Aside): string | undefined {
  const more = names.length - mostNames
  const parts = [
    ...names.slice(0, mostNames).map((name) => `“${name}”`),
    ...(more > 0 ? [more === 1 ? '1 more file' : `${more} more files`] : []),
    ...(messages > 0 ? [messages === 1 ? '1 message' : `${messages} messages`] : []),
  ]
  return parts.length === 0 ? undefined : inWords.format(parts)
}

/** A sentence behind a blank, which says so; nothing where nothing was. */
export function sayAside(aside: Aside): string {
  const what = describeAside(aside)
  return what === undefined ? '' : ` Set aside unread: ${what}.`
}
