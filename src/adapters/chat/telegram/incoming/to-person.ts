import type { Person } from '../../../../ports/chat.ts'
import { beginningOf } from '../../../../util/text/shorten.ts'
import { toPrintableLine } from '../../render/printable.ts'
import type { TelegramMessage, TelegramUser } from './update-schema.ts'

const longestName = 64
/** Accounts that speak for somebody else: GroupAnonymousBot, Channel Bot, and Telegram itself with posts of a linked channel. */
const standIns: ReadonlySet<number> = new Set([1_087_968_824, 136_817_688, 777_000])

/** THREAT-7: whoever wrote it, or why it is nobody's: these are strangers whatever the configuration says. */
export function toAuthor(message: TelegramMessage): Person | string {
  if (message.sender_chat !== undefined) return 'written in the name of a chat'
  if (message.via_bot !== undefined) return 'written by way of a bot'
  if (message.sender_business_bot !== undefined) return 'written by a bot for a business'
  if (message.is_automatic_forward !== undefined) return 'forwarded from a linked channel'
  return message.from === undefined ? 'without an author' : toPerson(message.from)
}

/** The person behind an account, or why there is none. */
export function toPerson(user: TelegramUser): Person | string {
  if (user.is_bot) return 'from a bot'
  if (standIns.has(user.id)) return 'from an account that stands for others'
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
