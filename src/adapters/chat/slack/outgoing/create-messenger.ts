import { randomUUID } from 'node:crypto'
import { type types, webApi } from '@slack/bolt'
import { z } from 'zod'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { Messenger, SentFile } from '../../outgoing/messenger.ts'
import { headOf } from '../../render/runs/cut-text.ts'
import { type AnsweredThreads, createAnsweredThreads } from '../answered-threads.ts'
import { createSlackCanvas, escapeText, type SlackMessage } from '../render/slack-canvas.ts'
import type { ReplyPaths } from '../reply-paths.ts'
import { type Address, isPrivate, parseAddress, threadOf } from './address.ts'
import { AgentSessions } from './agent-sessions.ts'
import { Feedback } from './feedback.ts'
import { ephemeralTarget, postEphemeral } from './post-ephemeral.ts'
import { toActions } from './to-actions.ts'
import { slackCode, toDelivery } from './to-delivery.ts'
import { TurnStreams } from './turn-streams.ts'

/** Errors for a channel that the bot is not in. */
const notInChannel: ReadonlySet<string | undefined> = new Set([
  'not_in_channel',
  'channel_not_found',
  'user_not_in_channel',
])

const timeoutMs = 20_000

/** Slack allows 3,000 UTF-16 units of plain text in a section. */
const sectionLength = 2_900

const posted = z.object({ ts: z.string().min(1) })
const uploaded = z.object({
  files: z.array(z.object({ files: z.array(z.object({ id: z.string().min(1) })).min(1) })).min(1),
})

export interface MessengerOptions {
  readonly paths?: ReplyPaths | undefined
  readonly answered?: AnsweredThreads | undefined
  readonly sessions?: AgentSessions | undefined
}

/** Sends messages to Slack as blocks (SLACK-02, SLACK-03). */
export function createMessenger(
  client: webApi.WebClient,
  messages: Messages,
  options: MessengerOptions = {},
): Messenger<SlackMessage> {
  const {
    paths,
    answered = createAnsweredThreads(),
    sessions = new AgentSessions(client),
  } = options
  const feedback = new Feedback(messages)
  const streams = new TurnStreams(client, sessions)
  return {
    title: 'Slack',
    canvas: createSlackCanvas(messages),
    hidesAll: true,
    hasFeedback: () => feedback.isOffered,
    chatOf: (name) => {
      const place = parseAddress(name)
      return place === undefined ? undefined : { id: place.channel, isPrivate: isPrivate(place) }
    },
    send: (name, message, options = {}) =>
      feedback.send(
        message,
        { toPlain: toPlainBlocks, tokens: options.feedback },
        async ({ text, blocks }, below) => {
          const place = toAddress(name)
          const shown = [...blocks, ...toActions(options.buttons), ...below]
          const recipient = ephemeralTarget(place, options.onlyFor)
          if (recipient !== undefined)
            return postEphemeral(client, answered, recipient, { text, blocks: shown })
          const answer = await client.chat.postMessage({
            channel: place.channel,
            ...threadOf(place),
            text,
            blocks: shown,
            unfurl_links: false,
            unfurl_media: false,
          })
          answered.record(place)
          sessions.wrote(place)
          return posted.parse(answer).ts
        },
      ),
    edit: (name, messageId, message, options = {}) =>
      feedback.send(
        message,
        { toPlain: toPlainRichText, tokens: options.feedback },
        async ({ text, blocks }, below) => {
          const place = toAddress(name)
          const shown = [...blocks, ...toActions(options.buttons), ...below]
          const update = () =>
            client.chat.update({ channel: place.channel, ts: messageId, text, blocks: shown })
          await streams.change(place, messageId, update, options.signal)
        },
      ),
    remove: (name, messageId) => streams.remove(toAddress(name), messageId),
    sendFile: (name, file) => sendFile(client, toAddress(name), file),
    showTyping: (name) => sessions.thinking(toAddress(name)),
    settled: (name) => void sessions.settle(toAddress(name)),
    draft: async () => false,
    stream: (turn) => {
      sessions.working(toAddress(turn.place))
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
  place: Address,
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

function toAddress(name: string): Address {
  const place = parseAddress(name)
  if (place === undefined) throw new Error('no place of Slack')
  return place
}

/** The text in sections, which every workspace accepts, without styles. */
export function toPlainBlocks({ blocks, text }: SlackMessage): SlackMessage {
  return { text, blocks: partsOf(blocks.map(wordsOf).join('\n')).map(toSection) }
}

/** As `toPlainBlocks`, for an edit: chat.update replaces `rich_text` only with `rich_text` (`block_mismatch`). */
function toPlainRichText({ blocks, text }: SlackMessage): SlackMessage {
  const words = blocks.map(wordsOf).join('\n')
  const element = { type: 'text' as const, text: words.trim() === '' ? '·' : words }
  const section = { type: 'rich_text_section' as const, elements: [element] }
  return { text, blocks: [{ type: 'rich_text', elements: [section] }] }
}

function partsOf(words: string): string[] {
  const parts: string[] = []
  let rest = words
  do {
    const part = headOf(rest, sectionLength)
    parts.push(part)
    rest = rest.slice(part.length)
  } while (rest !== '')
  return parts
}

function toSection(text: string): types.SectionBlock {
  const words = text.trim() === '' ? '·' : text
  return { type: 'section', text: { type: 'plain_text', text: words, emoji: false } }
}

function wordsOf(block: types.KnownBlock): string {
  if (block.type !== 'rich_text') return ''
  return block.elements.map((part) => part.elements.map(wordOf).join('')).join('\n')
}

function wordOf(element: types.RichTextElement | types.RichTextSection): string {
  if (element.type === 'text') return element.text
  if (element.type === 'date') return element.fallback ?? ''
  return element.type === 'link' ? `${element.text ?? ''} (${element.url})` : ''
}

/**
 * Sends a reply to a command's `response_url`, visible to its author only
 * (https://docs.slack.dev/interactivity/handling-user-interaction).
 */
function createSendBack(paths: ReplyPaths): NonNullable<Messenger<SlackMessage>['sendBack']> {
  return async (place, { sealed, callerId }, { text, blocks }, refusal) => {
    const isOutside = notInChannel.has(slackCode(refusal))
    const url = isOutside ? paths.open(sealed, { place, callerId }) : undefined
    if (url === undefined) return undefined
    const status = await post(url, { response_type: 'ephemeral', text, blocks })
    if (status === 429 || status >= 500) throw new webApi.WebAPIHTTPError(status, '', {})
    // The URL has expired or was used five times: the original refusal stands.
    return status < 300 ? `response-${randomUUID()}` : undefined
  }
}

async function post(url: string, body: unknown): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(noAnswer)
  await response.body?.cancel()
  return response.status
}

/** The error does not contain the URL, which is secret. */
function noAnswer(): never {
  throw new webApi.WebAPIRequestError(new Error('no answer at the response_url'))
}
