import type { InlineKeyboardButton, MessageEntity } from 'grammy/types'
import type { ChatState } from './chats.ts'
import type { Media, StoredMessage } from './messages.ts'
import type { RichBlock } from './text/rich-blocks.ts'

/** A message as a person sees it. */
export interface SeenMessage {
  readonly id: number
  readonly from: {
    readonly kind: 'bot' | 'person' | 'chat'
    readonly id: number
    readonly name: string
  }
  /** Text, or the caption of a file. */
  readonly text: string
  readonly entities: readonly MessageEntity[]
  /** What the bot wrote, where it wrote HTML. */
  readonly html: string | undefined
  /** Its blocks, where it is a rich message. */
  readonly rich: readonly RichBlock[] | undefined
  readonly buttons: readonly (readonly InlineKeyboardButton[])[]
  readonly document:
    | { readonly name: string; readonly mimeType: string; readonly bytes: Uint8Array }
    | undefined
  /** Kind of the media, if it has any. */
  readonly media: Media['kind'] | undefined
  /** How often it was edited. */
  readonly edits: number
  readonly replyTo: number | undefined
  readonly threadId: number | undefined
  /** Unix milliseconds. */
  readonly at: number
  readonly editedAt: number | undefined
}

/** Something that was shown, as it was then. */
export interface SeenChange {
  readonly kind: 'send' | 'edit' | 'delete'
  readonly at: number
  readonly message: SeenMessage
}

export function toSeen(message: Readonly<StoredMessage>): SeenMessage {
  const { id, text, entities, html, rich, edits, replyTo, threadId, at, editedAt, media } = message
  const document =
    media?.kind === 'document'
      ? { name: media.file.name, mimeType: media.file.mimeType, bytes: media.file.bytes }
      : undefined
  const shown = { id, text, entities, html, rich, edits, replyTo, threadId, at, editedAt }
  return {
    ...shown,
    from: authorOf(message),
    buttons: message.keyboard ?? [],
    document,
    media: media?.kind,
  }
}

function authorOf({ author }: Readonly<StoredMessage>): SeenMessage['from'] {
  const { user, senderChat } = author
  if (senderChat !== undefined) {
    return {
      kind: 'chat',
      id: senderChat.id,
      name: senderChat.title ?? senderChat.first_name ?? '',
    }
  }
  return {
    kind: user?.is_bot === true ? 'bot' : 'person',
    id: user?.id ?? 0,
    name: user?.first_name ?? '',
  }
}

/** What stands in a chat now, in order; service messages do not show. */
export function seenMessages(state: ChatState): SeenMessage[] {
  return [...state.messages.values()]
    .filter((message) => !message.deleted && message.service === undefined)
    .map(toSeen)
}
