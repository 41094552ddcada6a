import type { Chat, Message, MessageEntity, Update, User } from 'grammy/types'
import { arrive, tellBots } from './arrivals.ts'
import { anonymousAdmin, BotStandings } from './bot-standings.ts'
import type { BotState } from './bots.ts'
import { type ChatState, changeMessage, deleteMessage, type NewMessage } from './chats.ts'
import { type Media, type StoredMessage, toApiMessage } from './messages.ts'
import { dataOfButton, type Tap, type TapMessage, tapButton } from './taps.ts'
import { findEntities } from './text/entities.ts'
import { emptyText, type FormattedText } from './text/formatted-text.ts'
import { keepFile, type World } from './world.ts'

export interface SendOptions {
  /** Id of the message to answer. */
  readonly replyTo?: number
  /** Instead of those that Telegram would find in the text. */
  readonly entities?: readonly MessageEntity[]
  /** Id of the topic; without it, the general one. */
  readonly topic?: number
  /** Sent together with others of the same album. */
  readonly album?: string
  /** The inline bot that wrote it. */
  readonly viaBot?: User
}

/** A chat with what people do and see there. */
export class ChatHandle extends BotStandings {
  readonly #members: Set<number>

  constructor(world: World, state: ChatState, members: readonly User[]) {
    super(world, state)
    this.#members = new Set(members.map(({ id }) => id))
  }

  send(user: User, text: string, options: SendOptions = {}): Message {
    return this.#arrive(user, { content: written(text, options.entities) }, options)
  }

  sendPhoto(user: User, options: SendOptions & { readonly caption?: string } = {}): Message {
    const bytes = new Uint8Array([0xff, 0xd8, 0xff, 0xd9])
    const file = { name: 'photo.jpg', mimeType: 'image/jpeg', bytes }
    return this.#sendMedia(user, 'photo', file, options)
  }

  sendDocument(
    user: User,
    file: { readonly name: string; readonly bytes: Uint8Array; readonly mimeType?: string },
    options: SendOptions & { readonly caption?: string } = {},
  ): Message {
    const mimeType = file.mimeType ?? 'application/octet-stream'
    return this.#sendMedia(user, 'document', { ...file, mimeType }, options)
  }

  sendVoice(user: User, options: SendOptions & { readonly caption?: string } = {}): Message {
    const file = { name: '', mimeType: 'audio/ogg', bytes: new TextEncoder().encode('OggS') }
    return this.#sendMedia(user, 'voice', file, options)
  }

  sendVideo(user: User, options: SendOptions & { readonly caption?: string } = {}): Message {
    const file = {
      name: 'film.mp4',
      mimeType: 'video/mp4',
      bytes: new TextEncoder().encode('ftyp'),
    }
    return this.#sendMedia(user, 'video', file, options)
  }

  sendSticker(user: User, options: SendOptions & { readonly emoji?: string } = {}): Message {
    const bytes = new TextEncoder().encode('RIFF0000WEBP')
    const file = { name: 'sticker.webp', mimeType: 'image/webp', bytes }
    return this.#sendMedia(user, 'sticker', file, options)
  }

  /** As an administrator of the group who stays anonymous. */
  sendAnonymously(text: string, options: SendOptions = {}): Message {
    const author = { user: anonymousAdmin, senderChat: this.chat }
    return this.#put({ author, content: written(text, options.entities) }, options)
  }

  /** As a channel: in the channel itself, or under its name in a group. */
  post(text: string, channel: Chat = this.chat, options: SendOptions = {}): Message {
    const channelBot = {
      id: 136_817_688,
      is_bot: true,
      first_name: 'Channel',
      username: 'Channel_Bot',
    }
    const author =
      channel.id === this.chat.id
        ? { senderChat: channel }
        : { user: channelBot, senderChat: channel }
    return this.#put({ author, content: written(text, options.entities) }, options)
  }

  /** Changes a message of a person. */
  edit(user: User, messageId: number, text: string): Message {
    const message = this.#message(messageId)
    if (message.author.user?.id !== user.id) throw new Error('people edit only what they wrote')
    const { entities } = written(text)
    changeMessage(this.world, this.state, message, { text, entities })
    tellBots(this.world, this.state, 'edited_message', message)
    return toApiMessage(this.state, message)
  }

  /** Somebody who may deletes the message; bots are not told. */
  delete(messageId: number): void {
    deleteMessage(this.world, this.state, this.#message(messageId))
  }

  /** Taps a button as it is shown now: by its label (or an unmistakable part of it) or its place. */
  tap(user: User, messageId: number, button: string | number): Tap {
    const data = dataOfButton(this.#message(messageId), button)
    return this.tapRaw(user, messageId, data)
  }

  /** A tap with this data, whatever is shown: an old button, or a forged one. */
  tapRaw(user: User, messageId: number, data: string, as?: TapMessage): Tap {
    const tap = { from: user, messageId, data, ...(as !== undefined && { as }) }
    return tapButton(this.world, this.state, this.#botOf(messageId), tap)
  }

  /** Taps *Stop* on the draft that is shown. */
  stopDraft(): void {
    const { draft } = this
    if (draft?.canStop !== true) throw new Error('no draft that can be stopped is shown')
    const { draftId, threadId } = draft
    this.state.draft = undefined
    this.firstBot().updates.push('stopped_message_generation', {
      chat: this.chat as Chat.PrivateChat,
      ...(threadId !== undefined && { message_thread_id: threadId }),
      draft_id: draftId,
    } satisfies Update['stopped_message_generation'])
    this.world.changed()
  }

  /** Makes a topic; its id is what `topic` takes. */
  topic(name: string, by: User = anonymousAdmin): number {
    if (this.chat.is_forum !== true) throw new Error('only a forum has topics')
    const id = this.state.nextMessageId
    this.state.topics.set(id, { id, name, closed: false })
    const service = { forum_topic_created: { name, icon_color: 7_322_096 } }
    arrive(this.world, this.state, {
      author: { user: by },
      content: emptyText,
      service,
      threadId: id,
    })
    return id
  }

  closeTopic(id: number, closed = true): void {
    const topic = this.state.topics.get(id)
    if (topic !== undefined) topic.closed = closed
  }

  deleteTopic(id: number): void {
    this.state.topics.delete(id)
    for (const message of this.state.messages.values()) {
      if (message.threadId === id) deleteMessage(this.world, this.state, message)
    }
  }

  join(user: User): void {
    this.#members.add(user.id)
  }

  #sendMedia(
    user: User,
    kind: Media['kind'],
    given: { readonly name: string; readonly mimeType: string; readonly bytes: Uint8Array },
    options: SendOptions & { readonly caption?: string; readonly emoji?: string },
  ): Message {
    const file = keepFile(this.world, given, `${kind}s`)
    const media: Media =
      kind === 'sticker' ? { kind, file, emoji: options.emoji ?? '👍' } : { kind, file }
    const content = written(options.caption ?? '', options.entities)
    return this.#arrive(user, { content, media }, options)
  }

  #arrive(user: User, given: Pick<NewMessage, 'content' | 'media'>, options: SendOptions): Message {
    if (!this.#members.has(user.id)) throw new Error(`${user.first_name} is not in this chat`)
    if (this.state.bots.get(this.firstBot()) === 'blocked') throw new Error('the bot is blocked')
    return this.#put({ ...given, author: { user } }, options)
  }

  #put(given: NewMessage, { replyTo, topic, viaBot, album }: SendOptions): Message {
    if (topic !== undefined && !this.state.topics.has(topic)) throw new Error(`no topic ${topic}`)
    const message = arrive(this.world, this.state, {
      ...given,
      author: { ...given.author, ...(viaBot !== undefined && { viaBot }) },
      replyTo,
      threadId: topic,
      album,
    })
    return toApiMessage(this.state, message)
  }

  #message(id: number): StoredMessage {
    const message = this.state.messages.get(id)
    if (message === undefined || message.deleted) throw new Error(`message ${id} is not there`)
    return message
  }

  #botOf(messageId: number): BotState {
    const message = this.state.messages.get(messageId)
    const owner = [...this.state.bots.keys()].find((bot) => message && bot.sent.has(message))
    return owner ?? this.firstBot()
  }
}

function written(text: string, entities?: readonly MessageEntity[]): FormattedText {
  return { text, entities: entities ?? findEntities(text), html: undefined }
}
