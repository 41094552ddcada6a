import type { Chat, Message, MessageEntity, PhotoSize, Sticker, User } from 'grammy/types'
import type { ChatState } from './chats.ts'
import type { Keyboard } from './text/markup.ts'
import type { RichBlock } from './text/rich-blocks.ts'

/** A file that the stand-in keeps. */
export interface StoredFile {
  readonly id: string
  readonly uniqueId: string
  readonly path: string
  readonly name: string
  readonly mimeType: string
  readonly bytes: Uint8Array
}

export type Media =
  | { readonly kind: 'document'; readonly file: StoredFile }
  | { readonly kind: 'photo'; readonly file: StoredFile }
  | { readonly kind: 'voice'; readonly file: StoredFile }
  | { readonly kind: 'video'; readonly file: StoredFile }
  | { readonly kind: 'sticker'; readonly file: StoredFile; readonly emoji: string }

/** Who a message is from, as the Bot API tells it. */
export interface Author {
  readonly user?: User
  readonly senderChat?: Chat
  readonly viaBot?: User
}

/** A message of a chat. What may change is what people or bots can change. */
export interface StoredMessage {
  readonly id: number
  /** Unix milliseconds. */
  readonly at: number
  readonly author: Author
  readonly media: Media | undefined
  /** Of messages that were sent together. */
  readonly album: string | undefined
  /** Of a service message. */
  readonly service: Partial<Message> | undefined
  readonly replyTo: number | undefined
  /** The topic, or in a group without topics the first message of the thread. */
  readonly threadId: number | undefined
  /** Text, or the caption of the media. */
  text: string
  entities: readonly MessageEntity[]
  html: string | undefined
  keyboard: Keyboard | undefined
  /** Of a rich message; its text is what is read once all is opened. */
  rich: readonly RichBlock[] | undefined
  editedAt: number | undefined
  edits: number
  deleted: boolean
}

/** A message as the Bot API shows it. */
export function toApiMessage(state: ChatState, message: StoredMessage, withReply = true): Message {
  const topic = state.topics.has(message.threadId ?? 0)
  const reply = withReply ? repliedMessage(state, message) : undefined
  const { user, senderChat, viaBot } = message.author
  return {
    message_id: message.id,
    ...(user !== undefined && { from: user }),
    ...(senderChat !== undefined && { sender_chat: senderChat }),
    chat: state.chat,
    date: seconds(message.at),
    ...(message.threadId !== undefined && { message_thread_id: message.threadId }),
    ...(topic && { is_topic_message: true as const }),
    ...(reply !== undefined && { reply_to_message: reply }),
    ...(viaBot !== undefined && { via_bot: viaBot }),
    ...(message.editedAt !== undefined && { edit_date: seconds(message.editedAt) }),
    ...contentOf(message),
    ...(message.keyboard !== undefined && {
      reply_markup: { inline_keyboard: message.keyboard.map((row) => [...row]) },
    }),
  } as Message
}

/** In a topic every message that answers nothing answers the topic's first. */
function repliedMessage(state: ChatState, message: StoredMessage): Message | undefined {
  const topic = state.topics.has(message.threadId ?? 0) ? message.threadId : undefined
  const id = message.replyTo ?? topic
  if (id === undefined || id === message.id) return undefined
  const replied = state.messages.get(id)
  return replied === undefined || replied.deleted ? undefined : toApiMessage(state, replied, false)
}

function contentOf(message: StoredMessage): Partial<Message> {
  if (message.service !== undefined) return message.service
  if (message.rich !== undefined)
    return { rich_message: { blocks: [...message.rich] } } as unknown as Partial<Message>
  const entities = message.entities.map((entity) => ({ ...entity }))
  if (message.media === undefined) {
    return { text: message.text, ...(entities.length > 0 && { entities }) }
  }
  return {
    ...mediaOf(message.media),
    ...(message.album !== undefined && { media_group_id: message.album }),
    ...(message.text !== '' && { caption: message.text }),
    ...(entities.length > 0 && { caption_entities: entities }),
  }
}

function mediaOf(media: Media): Partial<Message> {
  const { file } = media
  const shared = { file_id: file.id, file_unique_id: file.uniqueId, file_size: file.bytes.length }
  switch (media.kind) {
    case 'document':
      return { document: { ...shared, file_name: file.name, mime_type: file.mimeType } }
    case 'photo':
      return { photo: [{ ...shared, width: 90, height: 60 } satisfies PhotoSize] }
    case 'voice':
      return { voice: { ...shared, duration: 1, mime_type: file.mimeType } }
    case 'video': {
      const { name: file_name, mimeType: mime_type } = file
      return { video: { ...shared, file_name, mime_type, width: 320, height: 240, duration: 1 } }
    }
    case 'sticker':
      return { sticker: stickerOf(shared, media.emoji) }
  }
}

function stickerOf(file: { file_id: string; file_unique_id: string }, emoji: string): Sticker {
  return {
    ...file,
    type: 'regular',
    width: 512,
    height: 512,
    is_animated: false,
    is_video: false,
    emoji,
  }
}

export function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}
