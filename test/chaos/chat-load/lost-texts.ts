import type { SlackStandIn } from '../../support/slack/slack.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'

/** Something that was sent and of which the product cannot know: no answer came, or none that can be read. */
export interface Lost {
  /** As the product names it. */
  readonly place: string
  readonly text: string
}

export function lostOnTelegram({ calls }: TelegramStandIn): readonly Lost[] {
  return calls.flatMap(({ method, params, outcome }) => {
    const isLost = outcome.kind === 'gone' || (outcome.kind === 'dropped' && outcome.done)
    if (method !== 'sendMessage' || !isLost) return []
    return [{ place: String(params['chat_id']), text: withoutMarkup(String(params['text'])) }]
  })
}

export function lostOnSlack({ calls }: SlackStandIn): readonly Lost[] {
  return calls.flatMap(({ method, params, outcome }) => {
    const isLost = outcome.kind === 'garbled' || (outcome.kind === 'dropped' && outcome.done)
    if (method !== 'chat.postMessage' || !isLost) return []
    const { channel, thread_ts: thread, text } = params
    const place = thread === undefined ? String(channel) : `${String(channel)}/${String(thread)}`
    return [{ place, text: withoutMarkup(String(text)) }]
  })
}

/** Of a card only that it is one is compared. */
function withoutMarkup(text: string): string {
  const plain = text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
  return plain
}
