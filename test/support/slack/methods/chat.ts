import type { ChannelState } from '../channels.ts'
import { Refusal } from '../limits/refusal.ts'
import { notifiedBy } from '../mentions.ts'
import { type StoredMessage, toApiMessage } from '../messages.ts'
import { change, type MessageChange, post, remove } from '../posting.ts'
import { showStatus } from '../statuses.ts'
import { readContent, readMetadata } from './content.ts'
import { endLateStream } from './late-streams.ts'
import type { Call } from './method.ts'
import { messageOf, threadOf, visibleChannel, writableChannel } from './places.ts'

type Result = Readonly<Record<string, unknown>>

/**
 * Of chat.update, by its page below https://docs.slack.dev/reference/methods (msg_too_long). That speaks of characters;
 * others met the limit at as many bytes, which is never milder.
 */
const mostUpdatedBytes = 4000

export function postMessage(call: Call): Result {
  const { world, params } = call
  const state = writableChannel(call)
  const threadTs = threadOf(state, call)
  const content = readContent(call, { bareNames: false })
  const message = post(world, state, {
    ...content,
    ...authorOf(call),
    subtype: content.username === undefined ? undefined : 'bot_message',
    threadTs,
    broadcast: threadTs !== undefined && params.flag('reply_broadcast'),
  })
  // An answer ends the status of its thread: https://docs.slack.dev/reference/methods/assistant.threads.setStatus
  if (threadTs !== undefined) showStatus(world, state, { threadTs, status: '' })
  return { channel: state.id, ts: message.ts, message: toApiMessage(world, message) }
}

/** Who writes with this token. */
export function authorOf({ app }: Call): Pick<StoredMessage, 'userId' | 'botId' | 'appId'> {
  return { userId: app.userId, botId: app.botId, appId: app.id }
}

export function postEphemeral(call: Call): Result {
  const { world, params } = call
  const state = writableChannel(call)
  const user = params.required('user')
  if (!state.members.has(user)) throw new Refusal('user_not_in_channel')
  const threadTs = threadOf(state, call)
  const content = readContent(call, { bareNames: false })
  if ((params.text('text')?.length ?? 0) > 40_000) throw new Refusal('msg_too_long')
  if (threadTs !== undefined && !isAnswered(state, threadTs)) return { message_ts: world.ts() }
  const message = post(world, state, {
    ...content,
    ...authorOf(call),
    threadTs,
    ephemeralFor: user,
  })
  return { message_ts: message.ts }
}

/** What is for one person alone shows in no other thread: https://docs.slack.dev/reference/methods/chat.postEphemeral (thread_ts). */
function isAnswered({ messages }: ChannelState, threadTs: string): boolean {
  return [...messages.values()].some(
    (message) =>
      message.threadTs === threadTs &&
      message.ts !== threadTs &&
      !message.deleted &&
      message.ephemeralFor === undefined,
  )
}

export function update(call: Call): Result {
  const { world, app } = call
  const state = visibleChannel(call)
  if (state.archived) throw new Refusal('is_inactive')
  const message = messageOf(state, call)
  if (message.appId !== app.id) throw new Refusal('cant_update_message')
  endLateStream(world, message)
  if (message.streaming === 'in_progress') throw new Refusal('streaming_state_conflict')
  const windowMs = world.limits.editWindowMs
  if (windowMs !== undefined && world.now() - message.at > windowMs) {
    throw new Refusal('edit_window_closed')
  }
  const given = readUpdate(call, message)
  // Rich text is replaced by rich text alone: chat.update's page has `block_mismatch`.
  if (isRich(message) && (given.blocks?.length ?? 0) > 0 && !isRich({ blocks: given.blocks ?? [] }))
    throw new Refusal('block_mismatch')
  change(world, state, message, given, app.userId)
  const shown = toApiMessage(world, message)
  return { channel: state.id, ts: message.ts, text: message.text, message: shown }
}

function isRich({ blocks }: Pick<StoredMessage, 'blocks'>): boolean {
  return blocks.some((block) => block['type'] === 'rich_text')
}

/** Text alone takes the blocks away; `markdown_text` stands for both. */
function readUpdate(call: Call, message: StoredMessage): MessageChange {
  const { params } = call
  if (Buffer.byteLength(params.text('text') ?? '') > mostUpdatedBytes)
    throw new Refusal('msg_too_long')
  const { text, blocks, attachments } = readContent(call, { bareNames: true })
  const kept = params.has('attachments') ? attachments : message.attachments
  return {
    text,
    blocks,
    attachments: kept,
    ...(params.has('metadata') && { metadata: readMetadata(params) }),
    notified: notifiedBy({ text, blocks, attachments: kept, bareNames: true }),
  }
}

export function deleteMessage(call: Call): Result {
  const { world, app } = call
  const state = visibleChannel(call)
  const message = messageOf(state, call)
  endLateStream(world, message)
  // A stream that goes on cannot be deleted, as others measured (as little as it can be edited).
  const isStreamed = message.streaming === 'in_progress'
  if (message.appId !== app.id || isStreamed) throw new Refusal('cant_delete_message')
  remove(world, state, message)
  return { channel: state.id, ts: message.ts }
}
