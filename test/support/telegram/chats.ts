import type { Chat, User } from 'grammy/types'
import type { BotState } from './bots.ts'
import type { Author, Media, StoredMessage } from './messages.ts'
import type { FormattedText } from './text/formatted-text.ts'
import type { Keyboard } from './text/markup.ts'
import type { World } from './world.ts'

/** What a bot is in a chat. `muted`: it may read but not write. */
export type Standing = 'member' | 'admin' | 'muted' | 'blocked' | 'kicked' | 'left'

export interface Topic {
  readonly id: number
  readonly name: string
  closed: boolean
}

/** A draft that streams; the person sees the last one for 30 seconds or until a message comes. */
export interface Draft {
  readonly draftId: number
  readonly threadId: number | undefined
  readonly text: FormattedText
  readonly canStop: boolean
  readonly at: number
}

export interface EphemeralMessage {
  readonly id: number
  readonly receiver: User
  readonly text: string
  readonly threadId: number | undefined
}

/** Something that was shown, in the order of showing. */
export interface HistoryEntry {
  readonly kind: 'send' | 'edit' | 'delete'
  readonly at: number
  /** As it was then. */
  readonly message: Readonly<StoredMessage>
}

/** A chat with everything that ever stood in it. */
export interface ChatState {
  readonly chat: Chat
  readonly bots: Map<BotState, Standing>
  readonly messages: Map<number, StoredMessage>
  readonly topics: Map<number, Topic>
  readonly history: HistoryEntry[]
  readonly actions: {
    readonly action: string
    readonly at: number
    readonly threadId: number | undefined
  }[]
  readonly drafts: Draft[]
  /** What one member alone was shown. */
  readonly ephemeral: EphemeralMessage[]
  draft: Draft | undefined
  nextMessageId: number
}

export function createChatState(chat: Chat, firstMessageId: number): ChatState {
  return {
    chat,
    bots: new Map(),
    messages: new Map(),
    topics: new Map(),
    history: [],
    actions: [],
    drafts: [],
    ephemeral: [],
    draft: undefined,
    nextMessageId: firstMessageId,
  }
}

export interface NewMessage {
  readonly author: Author
  readonly content: FormattedText
  readonly media?: Media | undefined
  readonly album?: string | undefined
  readonly service?: StoredMessage['service']
  readonly replyTo?: number | undefined
  readonly threadId?: number | undefined
  readonly keyboard?: Keyboard | undefined
  readonly rich?: StoredMessage['rich']
}

export function addMessage(world: World, state: ChatState, given: NewMessage): StoredMessage {
  const message: StoredMessage = {
    id: state.nextMessageId++,
    at: world.now(),
    author: given.author,
    media: given.media,
    album: given.album,
    service: given.service,
    replyTo: given.replyTo,
    threadId: given.threadId,
    text: given.content.text,
    entities: given.content.entities,
    html: given.content.html,
    keyboard: given.keyboard,
    rich: given.rich,
    editedAt: undefined,
    edits: 0,
    deleted: false,
  }
  state.messages.set(message.id, message)
  note(world, state, 'send', message)
  return message
}

export function changeMessage(
  world: World,
  state: ChatState,
  message: StoredMessage,
  change: Partial<Pick<StoredMessage, 'text' | 'entities' | 'html' | 'keyboard' | 'rich'>>,
): void {
  Object.assign(message, change)
  message.edits++
  message.editedAt = world.now()
  note(world, state, 'edit', message)
}

export function deleteMessage(world: World, state: ChatState, message: StoredMessage): void {
  message.deleted = true
  note(world, state, 'delete', message)
}

function note(
  world: World,
  state: ChatState,
  kind: HistoryEntry['kind'],
  message: StoredMessage,
): void {
  state.history.push({ kind, at: world.now(), message: { ...message } })
  world.changed()
}

/** The thread that a message in answer to another belongs to. */
export function threadOfReply(state: ChatState, replyTo: number | undefined): number | undefined {
  const replied = replyTo === undefined ? undefined : state.messages.get(replyTo)
  if (replied === undefined || state.chat.type !== 'supergroup') return undefined
  if (state.chat.is_forum) return replied.threadId
  return replied.threadId ?? replied.id
}
