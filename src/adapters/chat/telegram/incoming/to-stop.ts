import type { Incoming } from '../../../../ports/chat.ts'
import { toPerson } from './to-person.ts'
import type { StoppedDraft } from './update-schema.ts'

/** LOOP-14, TG-06: somebody tapped *Stop* below a draft of ours; or why nobody did. Only they are in the chat. */
export function toStop(
  { chat, message_thread_id: thread, draft_id: turnNumber }: StoppedDraft,
  externalId: string,
): Incoming | string {
  const from = toPerson({ ...chat, is_bot: false })
  if (typeof from === 'string') return from
  return {
    platform: 'telegram',
    externalId,
    place: thread === undefined ? String(chat.id) : `${chat.id}/${thread}`,
    isPrivate: true,
    from,
    act: { kind: 'stop', turnNumber },
  }
}
