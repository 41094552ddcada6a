import type { z } from 'zod'
import type { Incoming, Person } from '../../../../ports/chat.ts'
import { beginningOf } from '../../../../util/text/shorten.ts'
import { toStorable } from '../../../../util/text/storable.ts'
import { toPrintableLine } from '../../render/printable.ts'
import type { BotIdentity } from '../connect.ts'
import { addressedText, hasFile } from './addressed-text.ts'
import { toFile } from './to-files.ts'
import {
  type CallbackQuery,
  type StoppedDraft,
  type TelegramMessage,
  type TelegramUser,
  updateSchema,
} from './update-schema.ts'

const longestName = 64

/** Accounts that represent others: GroupAnonymousBot, Channel Bot, and Telegram itself for posts of a linked channel. */
const proxyAccounts: ReadonlySet<number> = new Set([1_087_968_824, 136_817_688, 777_000])

/** A parsed update. `why` contains no user text; `callbackId` is needed to answer a tap. */
export type ReadUpdate =
  | {
      readonly kind: 'incoming'
      readonly updateId: number
      readonly incoming: Incoming
      readonly callbackId?: string
    }
  | {
      readonly kind: 'ignored'
      readonly updateId: number
      readonly why: string
      readonly callbackId?: string
      /** The message to take if another part of its album was addressed to the bot, which the database knows. */
      readonly ifAlbum?: IncomingUpdate
    }
  | { readonly kind: 'malformed'; readonly updateId?: number; readonly why: string }

type IncomingUpdate = Extract<ReadUpdate, { kind: 'incoming' }>

const longestText = 200_000
const longestToken = 64

/** Parses an update. Never throws. */
export function toIncoming(update: unknown, me: BotIdentity): ReadUpdate {
  const parsed = updateSchema.safeParse(update)
  if (!parsed.success) return malformed(update, parsed.error)
  const { update_id: updateId, message, callback_query: tap } = parsed.data
  const { stopped_message_generation: stop } = parsed.data
  if (message !== undefined) return fromMessage(updateId, message, me)
  if (tap !== undefined) return fromTap(updateId, tap, me)
  if (stop !== undefined) return fromStop(updateId, stop, me)
  return { kind: 'ignored', updateId, why: 'an update of another kind' }
}

function malformed(update: unknown, { issues }: z.ZodError): ReadUpdate {
  const id = updateSchema.pick({ update_id: true }).safeParse(update)
  const [issue] = issues
  const why = `${issue?.path.join('.') || 'the update'}: ${issue?.code ?? 'unreadable'}`
  return id.success
    ? { kind: 'malformed', updateId: id.data.update_id, why }
    : { kind: 'malformed', why }
}

function fromMessage(updateId: number, message: TelegramMessage, me: BotIdentity): ReadUpdate {
  const ignored = (why: string): ReadUpdate => ({ kind: 'ignored', updateId, why })
  if (message.chat.type === 'channel') return ignored('a post in a channel')
  const from = toAuthor(message)
  if (typeof from === 'string') return ignored(from)
  const addressed = addressedText(message, me)
  const toUpdate = (text: string, more: MessageExtras = {}): IncomingUpdate => {
    const words = toStorable(text.slice(0, longestText))
    const act = { kind: 'message', text: words, ...more, ...fileOf(message) } as const
    return {
      kind: 'incoming',
      updateId,
      incoming: incoming(externalIdOf(updateId, me), message, from, act),
    }
  }
  if (addressed.kind === 'not_ours') {
    const isPart = message.media_group_id !== undefined && toFile(message) !== undefined
    const ifAlbum = isPart
      ? { ifAlbum: toUpdate(message.caption ?? '', { ifAlbumTaken: true }) }
      : {}
    return { kind: 'ignored', updateId, why: addressed.why, ...ifAlbum }
  }
  const { text, replyTo } = addressed
  return toUpdate(text, replyTo === undefined ? {} : { replyTo })
}

interface MessageExtras {
  readonly replyTo?: string
  readonly ifAlbumTaken?: true
}

function fileOf(message: TelegramMessage) {
  const file = toFile(message)
  const { media_group_id: album } = message
  if (file !== undefined) {
    const part = album === undefined ? {} : { album: toStorable(album.slice(0, longestToken)) }
    return { files: [file], ...part }
  }
  return hasFile(message) ? { unread: 'file' as const } : {}
}

function fromTap(updateId: number, tap: CallbackQuery, me: BotIdentity): ReadUpdate {
  const { id: callbackId, message, data } = tap
  const ignored = (why: string): ReadUpdate => ({ kind: 'ignored', updateId, why, callbackId })
  const from = toPerson(tap.from)
  if (typeof from === 'string') return ignored(from)
  if (message === undefined) return ignored('a tap below an inline message')
  if (data === undefined) return ignored('a tap without data')
  if (Buffer.byteLength(data) > longestToken) return ignored('a tap with too much data')
  const act = {
    kind: 'tap',
    token: toStorable(data),
    messageId: String(message.message_id),
    ...buttonPresence(message, data),
  } as const
  return {
    kind: 'incoming',
    updateId,
    incoming: incoming(externalIdOf(updateId, me), message, from, act),
    callbackId,
  }
}

function fromStop(updateId: number, stop: StoppedDraft, me: BotIdentity): ReadUpdate {
  const stopped = toStop(stop, externalIdOf(updateId, me))
  if (typeof stopped === 'string') return { kind: 'ignored', updateId, why: stopped }
  return { kind: 'incoming', updateId, incoming: stopped }
}

/** Whether the message has a button with this data; empty if the update does not include its buttons. */
function buttonPresence(
  { reply_markup: keyboard }: NonNullable<CallbackQuery['message']>,
  data: string,
): { readonly isThere?: boolean } {
  const buttons = keyboard?.inline_keyboard?.flat()
  if (buttons === undefined) return {}
  return { isThere: buttons.some((button) => button?.callback_data === data) }
}

/** Unique id of an update; each bot numbers its own. */
function externalIdOf(updateId: number, me: BotIdentity): string {
  return `${me.id}:${updateId}`
}

function incoming(
  externalId: string,
  where: Pick<TelegramMessage, 'chat' | 'is_topic_message' | 'message_thread_id'>,
  from: Person,
  act: Incoming['act'],
): Incoming {
  const { chat, is_topic_message: isTopic, message_thread_id: topic } = where
  const place = isTopic === true && topic !== undefined ? `${chat.id}/${topic}` : String(chat.id)
  const isPrivate = chat.type === 'private'
  return { platform: 'telegram', externalId, place, isPrivate, from, act }
}

/** A tap on *Stop* below a draft (LOOP-14, TG-06), or the reason to ignore it. Drafts exist in private chats only. */
function toStop(
  { chat, message_thread_id: thread, draft_id: turnNumber }: StoppedDraft,
  externalId: string,
): Incoming | string {
  const from = toPerson({ ...chat, is_bot: false })
  if (typeof from === 'string') return from
  return {
    platform: 'telegram',
    externalId,
    place: thread === undefined ? String(chat.id) : `${chat.id}/${thread}`,
    isPrivate: true,
    from,
    act: { kind: 'stop', turnNumber },
  }
}

/** The author of a message, or the reason why it is treated as a stranger's (THREAT-7), whatever the configuration allows. */
function toAuthor(message: TelegramMessage): Person | string {
  if (message.sender_chat !== undefined) return 'written in the name of a chat'
  if (message.via_bot !== undefined) return 'written by way of a bot'
  if (message.sender_business_bot !== undefined) return 'written by a bot for a business'
  if (message.is_automatic_forward !== undefined) return 'forwarded from a linked channel'
  return message.from === undefined ? 'without an author' : toPerson(message.from)
}

/** The person of an account, or the reason why it is not one. */
function toPerson(user: TelegramUser): Person | string {
  if (user.is_bot) return 'from a bot'
  if (proxyAccounts.has(user.id)) return 'from an account that stands for others'
  const username = /^\w{1,64}$/u.test(user.username ?? '') ? user.username : undefined
  return {
    id: `telegram:${user.id}`,
    name: displayName(user),
    privatePlace: String(user.id),
    ...(username === undefined ? {} : { username }),
  }
}

function displayName({ id, first_name, last_name, username }: TelegramUser): string {
  return (
    nameLine(`${first_name} ${last_name ?? ''}`) || nameLine(username ?? '') || `telegram:${id}`
  )
}

function nameLine(text: string): string {
  return beginningOf(toPrintableLine(text), longestName).trim()
}
