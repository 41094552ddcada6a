import { setTimeout as delay } from 'node:timers/promises'
import type { User } from 'grammy/types'
import type { ChatHandle, SendOptions } from '../../support/telegram/chat-handle.ts'
import type { SeenMessage } from '../../support/telegram/seen.ts'
import type { Tap } from '../../support/telegram/taps.ts'
import {
  createTelegramFlow,
  type TelegramFlow,
  type TelegramFlowOptions,
} from '../../support/telegram-flow.ts'
import { createScenes, type Scenes } from './scenes.ts'

/** Somebody in a chat with the bot. */
export interface Guest {
  readonly user: User
  readonly chat: ChatHandle
  /** The conversation's place, for what waits for it to settle. */
  readonly id: number
  say(text: string, options?: SendOptions): number
  tap(message: Pick<SeenMessage, 'id'>, button: string): Tap
}

/** The product with Telegram, shared by the tests of a file: each has people and chats of its own. */
export interface Stage extends AsyncDisposable {
  readonly flow: TelegramFlow
  readonly scenes: Scenes
  /** Somebody new who may talk, in a private chat. */
  guest(name?: string): Guest
  /** Somebody whom nobody let in. */
  stranger(name?: string): Guest
  /** Eve, who may answer the questions of others. */
  readonly eve: User
  /** Olga, the operator. */
  readonly olga: User
}

const firstGuest = 1001
const mostGuests = 40
const firstStranger = 2001

export async function openStage(options: Omit<TelegramFlowOptions, 'model'> = {}): Promise<Stage> {
  const scenes = createScenes()
  const allowed = Array.from({ length: mostGuests }, (_, index) => firstGuest + index)
  const settings = {
    COUNTERSIGN_TELEGRAM_ALLOWED_USERS: allowed.join(','),
    ...options.settings,
  }
  const flow = await createTelegramFlow({ ...options, settings, model: scenes })
  const { telegram } = flow
  const ids = { guest: firstGuest, stranger: firstStranger }
  const invite = (kind: 'guest' | 'stranger', name: string): Guest => {
    const id = ids[kind]++
    const user = telegram.addUser({ id, first_name: name, username: `${name.toLowerCase()}_${id}` })
    return toGuest(user, telegram.privateChat(user))
  }
  return {
    flow,
    scenes,
    guest: (name = 'Ada') => invite('guest', name),
    stranger: (name = 'Mallory') => invite('stranger', name),
    eve: telegram.addUser({ id: 44, first_name: 'Eve', username: 'eve' }),
    olga: telegram.addUser({ id: 45, first_name: 'Olga', username: 'olga' }),
    [Symbol.asyncDispose]: () => flow[Symbol.asyncDispose](),
  }
}

/** Somebody as a member of a chat. */
export function toGuest(user: User, chat: ChatHandle): Guest {
  return {
    user,
    chat,
    id: chat.id,
    say: (text, options) => chat.send(user, text, options).message_id,
    tap: ({ id }, button) => chat.tap(user, id, button),
  }
}

/** The first copy of a question's card, once it shows with its buttons. */
export function cardOf(chat: ChatHandle, number = 1): Promise<SeenMessage> {
  return chat.waitForMessage((message) => isCard(message, number) && message.buttons.length > 0, {
    what: `the card of question ${number}`,
  })
}

/** Every copy of a question's card, as they are now. */
export function copiesOf(chat: ChatHandle, number = 1): SeenMessage[] {
  return chat.botMessages().filter((message) => isCard(message, number))
}

function isCard({ from, text }: SeenMessage, number: number): boolean {
  return from.kind === 'bot' && text.startsWith('❯') && text.includes(`Approval ${number} ·`)
}

/** A message as it is now. */
export function shown(chat: ChatHandle, { id }: Pick<SeenMessage, 'id'>): SeenMessage {
  const found = chat.messages().find((message) => message.id === id)
  if (found === undefined) throw new Error(`message ${id} is not there`)
  return found
}

export function labels({ buttons }: SeenMessage): string[] {
  return buttons.flat().map(({ text }) => text)
}

/** Taps *Always* or one of its choices, which open first unless the button names all that it grants; answers what the tap is told. */
export async function tapAlways(guest: Guest, card: SeenMessage, label = 'Always') {
  const named = labels(card).find((each) => each.startsWith('Always: '))
  if (label === 'Always' && named !== undefined) return guest.tap(card, named).answered
  await guest.tap(card, labels(card).includes('Always…') ? 'Always…' : '⋯').answered
  const open = await guest.chat.waitForMessage(
    (message) => message.id === card.id && labels(message).includes(label),
    { what: 'the choices of Always' },
  )
  let told = await guest.tap(open, label).answered
  while (told.text === 'The buttons just changed: tap again.') {
    await delay(200)
    told = await guest.tap(open, label).answered
  }
  return told
}

/** Waits until a message reads so. */
export function untilReads(
  chat: ChatHandle,
  { id }: Pick<SeenMessage, 'id'>,
  words: RegExp,
): Promise<SeenMessage> {
  return chat.waitForMessage((message) => message.id === id && words.test(message.text), {
    what: `${words} in message ${id}`,
  })
}

const states: readonly (readonly [string, RegExp])[] = [
  ['waiting', /^Waiting for an answer\./],
  ['running', /^⏳ .* → running/],
  ['finished', /^[✅❌] Approved by .* → /u],
  ['approved', /^✅ (?:Approved|Allowed)/],
  ['denying', /^🚫 .* or tap Just deny/u],
  ['denied', /^🚫 Denied/u],
  ['expired', /^⌛/],
  ['cancelled', /^⚪/u],
]

/**
 * Every state that a card ever told, in order. One may be told again: how long it runs, and an edit whose answer did not
 * come in time.
 */
export function storyOf(chat: ChatHandle, { id }: Pick<SeenMessage, 'id'>): string[] {
  return chat.history
    .filter(({ message }) => message.id === id)
    .map(({ message }) => stateOf(message.text))
    .filter((state, index, all) => state !== all[index - 1])
}

function stateOf(text: string): string {
  for (const line of text.split('\n').toReversed()) {
    const known = states.find(([, form]) => form.test(line))
    if (known !== undefined) return known[0]
  }
  return `unknown: ${text.split('\n').at(-1)}`
}

/** A card's story without what was told twice or out of order; a quick command need not show each state. */
export function inOrder(story: readonly string[]): string[] {
  return ['waiting', 'approved', 'running', 'finished'].filter((state) => story.includes(state))
}

/** What the bot wrote in a chat beside cards, in order. */
export function wordsOf(chat: ChatHandle): string[] {
  return chat
    .botMessages()
    .filter(({ text }) => !text.startsWith('❯'))
    .map(({ text }) => text)
}

/** What tapping a button of a message sends. */
export function dataOf({ buttons }: SeenMessage, label: string): string {
  const button = buttons.flat().find(({ text }) => text === label)
  return button !== undefined && 'callback_data' in button ? (button.callback_data ?? '') : ''
}
