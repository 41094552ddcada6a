import type { webApi } from '@slack/bolt'
import type { Incoming } from '../../../../ports/chat.ts'
import type { Log } from '../../../../util/log.ts'
import type { AnsweredThreads } from '../answered-threads.ts'
import { parseAddress } from '../outgoing/address.ts'
import { escapeText } from '../render/slack-canvas.ts'

/** Sends a text to one person only (CHAT-02), where they acted. Best effort. */
export type SendEphemeral = (incoming: Incoming, text: string | undefined) => void

export function createSendEphemeral(
  client: webApi.WebClient,
  answered: AnsweredThreads,
  log: Log,
): SendEphemeral {
  return ({ place: name, from }, text) => {
    const place = parseAddress(name)
    const user = from.id.split(':').at(-1)
    if (place === undefined || user === undefined || text === undefined) return
    const where = { channel: place.channel, ...answered.threadOf(place) }
    const words = { text: escapeText(text), user, ...where }
    client.chat.postEphemeral(words).catch(() => {
      log.debug({}, 'slack: failed to send ephemeral message')
    })
  }
}
