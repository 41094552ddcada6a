import type { BotIdentity } from '../connect.ts'
import { fileFields, type TelegramEntity, type TelegramMessage } from './update-schema.ts'

export type Addressed =
  /** `replyTo`: id of the bot's message that it replies to. `text` may be empty if there is a file. */
  | {
      readonly kind: 'ours'
      readonly text: string
      readonly replyTo?: string
    }
  | { readonly kind: 'not_ours'; readonly why: string }

interface Cut {
  readonly from: number
  readonly to: number
}

/**
 * The text of a message for the bot. In a private chat every message is for the bot; in a group only one that mentions it,
 * replies to it, or is a command without the name of another bot. The bot's name is removed: `@bot run it` becomes `run it`,
 * `/clear@bot` becomes `/clear`.
 */
export function addressedText(message: TelegramMessage, me: BotIdentity): Addressed {
  const isFile = hasFile(message)
  const written = message.text ?? message.caption ?? (isFile ? '' : undefined)
  if (written === undefined) return { kind: 'not_ours', why: 'no words' }
  const entities = (message.text === undefined ? message.caption_entities : message.entities) ?? []
  const isPrivate = message.chat.type === 'private'
  const replyTo = repliedTo(message, me)
  const command = commandTarget(written, entities)
  if (!isPrivate) {
    if (command !== undefined && command !== '' && !isName(command, me)) {
      return { kind: 'not_ours', why: 'a command for another bot' }
    }
    const isMentioned = entities.some((entity) => mentions(written, entity, me))
    if (command === undefined && replyTo === undefined && !isMentioned) {
      return { kind: 'not_ours', why: 'not addressed to the bot' }
    }
  }
  const cuts = entities.flatMap((entity) => ownName(written, entity, me, isPrivate) ?? [])
  const text = withoutCuts(written, cuts).trim()
  if (text === '' && !isFile) return { kind: 'not_ours', why: 'no words' }
  return { kind: 'ours', text, ...(replyTo === undefined ? {} : { replyTo }) }
}

/** Whether the message has a file of any kind, supported or not. */
export function hasFile(message: TelegramMessage): boolean {
  return fileFields.some((field) => message[field] !== undefined)
}

function repliedTo({ reply_to_message: original }: TelegramMessage, me: BotIdentity) {
  // In a topic, a message that replies to nothing has the message that created the topic as original.
  if (original?.from?.id !== me.id || original.forum_topic_created !== undefined) return undefined
  return String(original.message_id)
}

/** Bot named by the command at the start; '' if it names none, undefined if there is no command. */
function commandTarget(text: string, entities: readonly TelegramEntity[]): string | undefined {
  const command = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0)
  return command === undefined ? undefined : (covered(text, command).split('@', 2)[1] ?? '')
}

function mentions(text: string, entity: TelegramEntity, me: BotIdentity): boolean {
  if (entity.type === 'text_mention') return entity.user?.id === me.id
  return entity.type === 'mention' && isName(covered(text, entity).replace(/^@/u, ''), me)
}

function ownName(text: string, entity: TelegramEntity, me: BotIdentity, isPrivate: boolean) {
  const to = entity.offset + entity.length
  if (entity.type === 'bot_command') {
    const at = covered(text, entity).indexOf('@')
    const isOurs = at !== -1 && isName(covered(text, entity).slice(at + 1), me)
    return isOurs ? { from: entity.offset + at, to } : undefined
  }
  if (isPrivate || !mentions(text, entity, me)) return undefined
  return { from: entity.offset, to: to + lengthOfGap(text.slice(to), entity.offset === 0) }
}

/** Length of the blank after a removed name; at the start also of the comma in `@bot, run it`. */
function lengthOfGap(rest: string, isAtStart: boolean): number {
  return (isAtStart ? /^[,:]?\s*/u : /^[ \t]?/u).exec(rest)?.[0].length ?? 0
}

function withoutCuts(text: string, cuts: readonly Cut[]): string {
  const pieces: string[] = []
  let at = 0
  for (const { from, to } of cuts.toSorted((a, b) => a.from - b.from)) {
    pieces.push(text.slice(at, Math.max(at, from)))
    at = Math.max(at, to)
  }
  return pieces.join('') + text.slice(at)
}

function covered(text: string, { offset, length }: TelegramEntity): string {
  return text.slice(offset, offset + length)
}

function isName(name: string, me: BotIdentity): boolean {
  return name.toLowerCase() === me.username.toLowerCase()
}
