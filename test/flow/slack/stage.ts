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

function isCard({ from, text }: SeenMessage, number: number): boolean {
  return from.kind === 'app' && text.startsWith('❯') && text.includes(`Question ${number} ·`)
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
