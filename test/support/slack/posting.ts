import { type ChannelState, note } from './channels.ts'
import { emitChange, emitDeletion, emitMessage } from './events.ts'
import { nobody } from './mentions.ts'
import { type StoredMessage, toApiMessage } from './messages.ts'
import type { World } from './world.ts'

export type NewMessage = Pick<StoredMessage, 'text' | 'userId'> &
  Partial<Omit<StoredMessage, 'ts' | 'at' | 'edited' | 'edits' | 'deleted'>>

/** Puts a message into a channel and tells the app what it may know of it. */
export function post(world: World, state: ChannelState, given: NewMessage): StoredMessage {
  const message: StoredMessage = {
    botId: undefined,
    appId: undefined,
    teamId: world.app.teamId,
    threadTs: undefined,
    broadcast: false,
    subtype: undefined,
    ephemeralFor: undefined,
    clientMsgId: undefined,
    username: undefined,
    files: [],
    inviter: undefined,
    blocks: [],
    attachments: [],
    metadata: undefined,
    notified: nobody,
    streaming: undefined,
    streamMode: undefined,
    streamedAt: world.now(),
    stoppedByUser: false,
    reactions: [],
    ...given,
    ts: world.ts(),
    at: world.now(),
    edited: undefined,
    edits: 0,
    deleted: false,
  }
  state.messages.set(message.ts, message)
  for (const file of message.files) file.channelIds.add(state.id)
  note(world, state, 'send', message)
  if (message.ephemeralFor === undefined) emitMessage(world, state, message)
  return message
}

export type MessageChange = Partial<
  Pick<
    StoredMessage,
    'text' | 'blocks' | 'attachments' | 'metadata' | 'notified' | 'streaming' | 'reactions'
  >
>

/** `by`: whose edit it shows as; nobody's when only a link was unfolded or a stream went on. */
export function change(
  world: World,
  state: ChannelState,
  message: StoredMessage,
  given: MessageChange,
  by: string | undefined,
): void {
  const previous = toApiMessage(world, message)
  Object.assign(message, given)
  message.edits++
  if (by !== undefined) message.edited = { userId: by, ts: world.ts() }
  note(world, state, 'edit', message)
  if (message.ephemeralFor === undefined) {
    emitChange(world, state, toApiMessage(world, message), previous)
  }
}

/** A stream goes on: people see it, and no event tells of it. */
export function noteStream(
  world: World,
  state: ChannelState,
  message: StoredMessage,
  given: MessageChange,
): void {
  Object.assign(message, given)
  message.edits++
  message.streamedAt = world.now()
  note(world, state, 'edit', message)
}

/** A message with answers leaves a tombstone for them. */
export function remove(world: World, state: ChannelState, message: StoredMessage): void {
  const previous = toApiMessage(world, message)
  message.deleted = true
  note(world, state, 'delete', message)
  if (message.ephemeralFor !== undefined) return
  const answered = [...state.messages.values()].some(
    ({ threadTs, deleted, ts }) => threadTs === message.ts && !deleted && ts !== message.ts,
  )
  if (!answered) {
    emitDeletion(world, state, previous)
    return
  }
  const { ts, threadTs } = message
  const tombstone = {
    type: 'message',
    subtype: 'tombstone',
    text: 'This message was deleted.',
    user: 'USLACKBOT',
    hidden: true,
    thread_ts: threadTs ?? ts,
    ts,
  }
  emitChange(world, state, tombstone, previous)
}
