import type { webApi } from '@slack/bolt'
import { z } from 'zod'
import type { Messenger, SentFile } from '../../outgoing/messenger.ts'
import { type AnsweredThreads, createAnsweredThreads } from '../answered-threads.ts'
import { escapeText } from '../render/escape-text.ts'
import { type SlackMessage, slackCanvas } from '../render/slack-canvas.ts'
import { toPlainBlocks, toPlainRichText } from '../render/to-plain-blocks.ts'
import type { ReplyPaths } from '../reply-paths.ts'
import { AgentSessions } from './agent-sessions.ts'
import { Feedback } from './feedback.ts'
import { isPrivate, type Place, parsePlace, threadOf } from './place.ts'
import { aloneIn, sendAlone } from './send-alone.ts'
import { createSendBack } from './send-back.ts'
import { toActions } from './to-actions.ts'
import { toDelivery } from './to-delivery.ts'
import { TurnStreams } from './turn-streams.ts'

const posted = z.object({ ts: z.string().min(1) })
const uploaded = z.object({
  files: z.array(z.object({ files: z.array(z.object({ id: z.string().min(1) })).min(1) })).min(1),
})

export interface MessengerOptions {
  readonly paths?: ReplyPaths | undefined
  readonly answered?: AnsweredThreads | undefined
  readonly sessions?: AgentSessions | undefined
}

/** Slack, as messages in blocks go out to it (SLACK-02, SLACK-03). */
export function createMessenger(
  client: webApi.WebClient,
  options: MessengerOptions = {},
): Messenger<SlackMessage> {
  const {
    paths,
    answered = createAnsweredThreads(),
    sessions = new AgentSessions(client),
  } = options
  const feedback = new Feedback()
  const streams = new TurnStreams(client, sessions)
  return {
    title: 'Slack',
    canvas: slackCanvas,
    hidesAll: true,
    hasFeedback: () => feedback.isOffered,
    chatOf: (name) => {
      const place = parsePlace(name)
      return place === undefined ? undefined : { id: place.channel, isPrivate: isPrivate(place) }
    },
    send: (name, message, options = {}) =>
      feedback.send(
        message,
        { toPlain: toPlainBlocks, tokens: options.feedback },
        async ({ text, blocks }, below) => {
          const place = placeOf(name)
          const shown = [...blocks, ...toActions(options.buttons), ...below]
          const alone = aloneIn(place, options.onlyFor)
          if (alone !== undefined)
            return sendAlone(client, answered, alone, { text, blocks: shown })
          const answer = await client.chat.postMessage({
            channel: place.channel,
            ...threadOf(place),
            text,
            blocks: shown,
            unfurl_links: false,
            unfurl_media: false,
          })
          answered.saw(place)
          sessions.wrote(place)
          return posted.parse(answer).ts
        },
      ),
    edit: (name, messageId, message, options = {}) =>
      feedback.send(
        message,
        { toPlain: toPlainRichText, tokens: options.feedback },
        async ({ text, blocks }, below) => {
          const place = placeOf(name)
          const shown = [...blocks, ...toActions(options.buttons), ...below]
          const update = () =>
            client.chat.update({ channel: place.channel, ts: messageId, text, blocks: shown })
          await streams.change(place, messageId, update, options.signal)
        },
      ),
    remove: (name, messageId) => streams.remove(placeOf(name), messageId),
    sendFile: (name, file) => sendFile(client, placeOf(name), file),
    showTyping: (name) => sessions.thinking(placeOf(name)),
    settled: (name) => void sessions.settle(placeOf(name)),
    draft: async () => false,
    stream: (turn) => {
      sessions.working(placeOf(turn.place))
      return streams.show(turn)
    },
    close: async () => {
      sessions.close()
      await streams.close()
    },
    ...(paths !== undefined && { sendBack: createSendBack(paths) }),
    toDelivery,
  }
}

async function sendFile(
  client: webApi.WebClient,
  place: Place,
  { name: filename, bytes, caption }: SentFile,
): Promise<string> {
  const { channel, thread } = place
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
}

function placeOf(name: string): Place {
  const place = parsePlace(name)
  if (place === undefined) throw new Error('no place of Slack')
  return place
}
