import type { webApi } from '@slack/bolt'
import { z } from 'zod'
import type { Messenger } from '../../outgoing/messenger.ts'
import { escapeText } from '../render/escape-text.ts'
import { type SlackMessage, slackCanvas } from '../render/slack-canvas.ts'
import { toPlainBlocks } from '../render/to-plain-blocks.ts'
import { createStatus } from './create-status.ts'
import { isPrivate, type Place, parsePlace, threadOf } from './place.ts'
import { toActions } from './to-actions.ts'
import { isForBlocks, toDelivery } from './to-delivery.ts'
import { TurnStreams } from './turn-streams.ts'

const posted = z.object({ ts: z.string().min(1) })
const uploaded = z.object({
  files: z.array(z.object({ files: z.array(z.object({ id: z.string().min(1) })).min(1) })).min(1),
})

/** Slack, as messages in blocks go out to it (SLACK-02, SLACK-03). */
export function createMessenger(client: webApi.WebClient): Messenger<SlackMessage> {
  const status = createStatus(client)
  const streams = new TurnStreams(client)
  return {
    title: 'Slack',
    canvas: slackCanvas,
    chatOf: (name) => {
      const place = parsePlace(name)
      return place === undefined ? undefined : { id: place.channel, isPrivate: isPrivate(place) }
    },
    send: (name, message, options = {}) =>
      withPlainFallback(message, async ({ text, blocks }) => {
        const place = placeOf(name)
        const answer = await client.chat.postMessage({
          channel: place.channel,
          ...threadOf(place),
          text,
          blocks: [...blocks, ...toActions(options.buttons)],
          unfurl_links: false,
          unfurl_media: false,
        })
        return posted.parse(answer).ts
      }),
    edit: (name, messageId, message, options = {}) =>
      withPlainFallback(message, async ({ text, blocks }) => {
        const place = placeOf(name)
        const shown = [...blocks, ...toActions(options.buttons)]
        await streams.change(place, messageId, () =>
          client.chat.update({ channel: place.channel, ts: messageId, text, blocks: shown }),
        )
      }),
    remove: async (name, messageId) => {
      const place = placeOf(name)
      const { channel } = place
      await streams
        .change(place, messageId, () => client.chat.delete({ channel, ts: messageId }))
        .catch(() => undefined)
    },
    sendFile: async (name, { name: filename, bytes, caption }) => {
      const { channel, thread } = placeOf(name)
      const file = {
        file: Buffer.from(bytes),
        filename,
        channel_id: channel,
        initial_comment: escapeText(caption),
      }
      const answer = await client.filesUploadV2(
        thread === undefined ? file : { ...file, thread_ts: thread },
      )
      return uploaded.parse(answer).files[0]?.files[0]?.id ?? ''
    },
    showTyping: (name) => status.show(placeOf(name)),
    draft: async () => false,
    stream: (turn) => streams.show(turn),
    close: () => streams.close(),
    toDelivery,
  }
}

function placeOf(name: string): Place {
  const place = parsePlace(name)
  if (place === undefined) throw new Error('no place of Slack')
  return place
}

/** CHAT-05: where blocks are refused, the words go without looks; buttons stay. */
async function withPlainFallback<Result>(
  message: SlackMessage,
  call: (message: SlackMessage) => Promise<Result>,
): Promise<Result> {
  try {
    return await call(message)
  } catch (error) {
    if (!isForBlocks(error)) throw error
    return call(toPlainBlocks(message))
  }
}
