import { setTimeout as delay } from 'node:timers/promises'
import type { ChannelHandle } from '../../support/slack/people/channel-handle.ts'
import type { SeenMessage } from '../../support/slack/people/seen.ts'
import type { SlackUser } from '../../support/slack/users.ts'
import { createSlackFlow, type SlackFlow, type SlackFlowOptions } from '../../support/slack-flow.ts'
import { createScenes, type Scenes } from '../telegram/scenes.ts'

/** The product with Slack, shared by the tests of a file: each has people and conversations of its own. */
export interface Stage extends AsyncDisposable {
  readonly flow: SlackFlow
  readonly scenes: Scenes
  /** Somebody new who may talk. */
  guest(name?: string): SlackUser
  /** Somebody whom nobody let in. */
  stranger(name?: string): SlackUser
  /** Eve, who may answer the questions of others. */
  readonly eve: SlackUser
  /** Olga, the operator. */
  readonly olga: SlackUser
}

const mostGuests = 40
/** Slack's own 3 s are over when this process has stood still: then an answer that lies there counts for none. */
const ackTimeoutMs = 15_000

export async function openStage(options: Omit<SlackFlowOptions, 'model'> = {}): Promise<Stage> {
  const scenes = createScenes()
  const allowed = Array.from({ length: mostGuests }, (_, index) => `U0GUEST${index + 100}`)
  const settings = {
    COUNTERSIGN_SLACK_ALLOWED_USERS: allowed.join(','),
    COUNTERSIGN_SLACK_APPROVERS: 'U0EVE00001',
    COUNTERSIGN_SLACK_OPERATORS: 'U0OLGA0001',
    ...options.settings,
  }
  const slackOptions = { ackTimeoutMs, ...options.slack }
  const flow = await createSlackFlow({ ...options, settings, model: scenes, slack: slackOptions })
  const { slack } = flow
  let guests = 0
  return {
    flow,
    scenes,
    guest: (name = 'ada') => slack.user(name, { id: allowed[guests++] ?? '' }),
    stranger: (name = 'mallory') => slack.user(name),
    eve: slack.user('eve', { id: 'U0EVE00001' }),
    olga: slack.user('olga', { id: 'U0OLGA0001' }),
    [Symbol.asyncDispose]: () => flow[Symbol.asyncDispose](),
  }
}

/** The first copy of a question's card, once it shows with its buttons. */
export function cardOf(channel: ChannelHandle, number = 1): Promise<SeenMessage> {
  return channel.waitForMessage(
    (message) => isCard(message, number) && message.buttons.length > 0,
    {
      what: `the card of question ${number}`,
    },
  )
}

/** Its number is in the notification while it waits, and on it once it is decided. */
export function isCard({ from, text, fallback }: SeenMessage, number: number): boolean {
  const isNumbered =
    text.includes(`Approval ${number} ·`) || fallback.startsWith(`Approval ${number}: `)
  return from.kind === 'app' && text.startsWith('❯') && isNumbered
}

/** Every copy of a question's card, as they are now. */
export function copiesOf(channel: ChannelHandle, number = 1): SeenMessage[] {
  return channel.messages().filter((message) => isCard(message, number))
}

/** What the app wrote beside cards, in order, without what is still being written. */
export function wordsOf(channel: ChannelHandle): string[] {
  return channel
    .botMessages()
    .filter(({ text }) => !text.startsWith('❯'))
    .map(({ text }) => text)
}

const states: readonly (readonly [string, RegExp])[] = [
  ['waiting', /^Waiting for an answer\./],
  ['running', /^⏳ .* → running/],
  ['finished', /^[✅❌] Approved by .* → /u],
  ['approved', /^✅ (?:Approved|Allowed)/],
  ['denied', /^🚫 Denied/u],
  ['expired', /^⌛/],
  ['cancelled', /^⚪/u],
]

/** Every state that a card ever told, in order, without what was told twice. */
export function storyOf(channel: ChannelHandle, { ts }: Pick<SeenMessage, 'ts'>): string[] {
  return channel.history
    .filter(({ message }) => message.ts === ts)
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

/** A button of a message, as somebody with a client of their own would press it. */
export function claimOf({ ts, buttons }: SeenMessage, label: string) {
  const button = buttons.find((each) => each.label === label)
  if (button === undefined) throw new Error(`no button ${label}`)
  const { actionId, value } = button
  return { messageTs: ts, actionId, ...(value !== undefined && { value }) }
}

export function labels({ buttons }: SeenMessage): string[] {
  return buttons.map(({ label }) => label)
}

/** The card of several approvals, once it shows with its buttons. */
export function batchOf(channel: ChannelHandle, name: string): Promise<SeenMessage> {
  return channel.waitForMessage(
    ({ fallback, buttons }) => fallback.startsWith(`${name}: `) && buttons.length > 0,
    { what: name },
  )
}

/** The details of a card, which a click opens in place, and another closes. */
export async function detailsOf(
  channel: ChannelHandle,
  user: SlackUser,
  { ts }: Pick<SeenMessage, 'ts'>,
): Promise<string> {
  await channel.click(user, ts, '⋯').outcome
  const isOpen = (message: SeenMessage) => message.ts === ts && labels(message).includes('‹ Back')
  const { text } = await channel.waitForMessage(isOpen, { what: 'the details' })
  await channel.click(user, ts, '‹ Back').outcome
  await channel.waitForMessage((message) => message.ts === ts && labels(message).includes('⋯'))
  return text
}

/** Clicks *Always* or one of its choices, which open first unless the button names all that it grants. */
export async function clickAlways(
  channel: ChannelHandle,
  user: SlackUser,
  card: SeenMessage,
  label = 'Always',
): Promise<void> {
  const named = labels(card).find((each) => each.startsWith('Always: '))
  if (label === 'Always' && named !== undefined) {
    await channel.click(user, card.ts, named).outcome
    return
  }
  const click = async (button: string, until: string): Promise<void> => {
    await channel.click(user, card.ts, button).outcome
    await channel.waitForMessage(
      (message) => message.ts === card.ts && labels(message).includes(until),
      { what: until },
    )
  }
  if (!labels(card).includes('Always…')) await click('⋯', 'Always…')
  await click('Always…', label)
  // Buttons that have just changed grant nothing yet.
  await delay(2_000)
  await channel.click(user, card.ts, label).outcome
}

/** Waits until a message reads so. */
export function untilReads(
  channel: ChannelHandle,
  ts: string,
  words: RegExp,
): Promise<SeenMessage> {
  return channel.waitForMessage((message) => message.ts === ts && words.test(message.text), {
    what: `${words} in message ${ts}`,
  })
}
