import { findHeldBack, markHandled } from '../../db/inbox.ts'
import { dropUploadsOfEvents } from '../../db/uploads.ts'
import type { CommandContext } from './commands/command.ts'
import { inboundBody } from './inbound.ts'

const mostNames = 5
const inWords = new Intl.ListFormat('en', { type: 'conjunction' })

/**
 * LOOP-14: what these people wrote here before this event and what nobody has read yet, since it waits for a file, behind one, or for a
 * slower pace. It is never read. Answers a sentence that says so, behind a blank; nothing where nothing was.
 */
export async function setAside(
  { db, conversation, eventId }: CommandContext,
  callerIds: readonly string[],
): Promise<string> {
  const before = { conversationId: conversation.id, eventId }
  const held = (await findHeldBack(db, before, callerIds)).flatMap(({ id, body: written }) => {
    const body = inboundBody.parse(JSON.parse(written))
    return body.kind === 'message' || body.kind === 'files' ? [{ id, text: body.text }] : []
  })
  if (held.length === 0) return ''
  for (const { id } of held) await markHandled(db, id)
  const names = await dropUploadsOfEvents(
    db,
    held.map(({ id }) => id),
  )
  const messages = held.filter(({ text }) => text !== '').length
  return ` Set aside unread: ${describe(names, messages)}.`
}

function describe(names: readonly string[], messages: number): string {
  const more = names.length - mostNames
  return inWords.format([
    ...names.slice(0, mostNames).map((name) => `“${name}”`),
    ...(more > 0 ? [more === 1 ? '1 more file' : `${more} more files`] : []),
    ...(messages > 0 ? [messages === 1 ? '1 message' : `${messages} messages`] : []),
  ])
}
