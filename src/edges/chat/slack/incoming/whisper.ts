import type { webApi } from '@slack/bolt'
import type { Incoming } from '../../../../ports/chat.ts'
import type { Log } from '../../../../util/log.ts'
import { parsePlace, threadOf } from '../outgoing/place.ts'
import { escapeText } from '../render/escape-text.ts'

/** Tells one person something that nobody else sees (CHAT-02), where they did what it is about. Best effort. */
export type Whisper = (incoming: Incoming, text: string | undefined) => void

export function createWhisper(client: webApi.WebClient, log: Log): Whisper {
  return ({ place: name, from }, text) => {
    const place = parsePlace(name)
    const user = from.id.split(':').at(-1)
    if (place === undefined || user === undefined || text === undefined) return
    const words = { text: escapeText(text), channel: place.channel, user, ...threadOf(place) }
    client.chat.postEphemeral(words).catch(() => {
      log.debug({}, 'slack: somebody was not told why nothing was done')
    })
  }
}
