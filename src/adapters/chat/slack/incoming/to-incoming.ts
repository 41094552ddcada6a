import type { Incoming, IncomingAct, Person } from '../../../../ports/chat.ts'
import { toStorable } from '../../../../util/text/storable.ts'
import type { SlackIdentity } from '../connect.ts'
import { type Address, formatAddress, isPrivate } from '../outgoing/address.ts'
import type { ReplyPaths } from '../reply-paths.ts'
import type { BlockActions, SlackMessageEvent, SlashCommand } from './envelope-schema.ts'
import { toFiles } from './to-files.ts'

/** `<@U1>`, `<#C1|general>`, `<!here>`, `<https://example.com|words>`; angle brackets do not nest. */
const reference = /<([@#!]?)([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>/g

const longestText = 200_000

/** Lifetime of a `response_url`, in milliseconds. */
const replyLifeMs = 30 * 60_000

/** Subtypes of messages by people; other subtypes report something else. */
const subtypes: ReadonlySet<string | undefined> = new Set([
  undefined,
  'file_share',
  'thread_broadcast',
])

/** Kind of delivery; only events are repeated by Slack. */
type Via = 'event' | 'tap' | 'form' | 'command'

/** An action and who did it, to be completed once the person is known; or the reason to ignore it. */
export type Read =
  | {
      readonly kind: 'act'
      readonly via: Via
      readonly userId: string
      /** The thread in which it was done, if it is in one. */
      readonly within?: Address | undefined
      /** As claimed by the event. */
      readonly team: string | undefined
      toIncoming(from: Person): Incoming
    }
  | { readonly kind: 'ignored'; readonly why: string }

/**
 * Parses a message to the bot (SLACK-01): in a direct message any, elsewhere a mention, whose thread becomes the conversation.
 */
export function readMessage(eventId: string, event: SlackMessageEvent, me: SlackIdentity): Read {
  const ignored = (why: string): Read => ({ kind: 'ignored', why })
  const isDirect = event.channel.startsWith('D')
  if (event.bot_id !== undefined || event.user === undefined) return ignored('a message of a bot')
  if (event.user === me.userId) return ignored('a message of ours')
  if (!subtypes.has(event.subtype)) return ignored('not a new message')
  if (isDirect !== (event.type === 'message')) return ignored('not addressed to us')
  const { ts, thread_ts: thread, channel, files = [] } = event
  const root = isDirect ? thread : (thread ?? ts)
  const place: Address = root === undefined ? { channel } : { channel, thread: root }
  const text = toStorable(fromMarkup(event.text ?? '', me.userId).slice(0, longestText))
  const hasFile = files.length > 0
  if (text === '' && !hasFile) return ignored('no words')
  const act: IncomingAct = { kind: 'message', text, ...filesOf(files) }
  return toAction({
    via: 'event',
    userId: event.user,
    team: event.user_team ?? event.team,
    externalId: `${me.teamId}:${eventId}`,
    place,
    within: thread === undefined ? undefined : place,
    act,
  })
}

function filesOf(given: readonly unknown[]) {
  const files = toFiles(given)
  if (files.length > 0) return { files }
  return given.length > 0 ? { unread: 'file' as const } : {}
}

/** Parses a tap. A button sends exactly one action. */
export function readTap(payload: BlockActions, me: SlackIdentity): Read {
  const { user, team, container, channel, message, actions, trigger_id: trigger } = payload
  const [action] = actions
  const chat = channel?.id ?? container.channel_id
  const messageId = message?.ts ?? container.message_ts
  const token = action?.value
  if (chat === undefined || messageId === undefined || token === undefined)
    return { kind: 'ignored', why: 'a tap on nothing of ours' }
  const thread = message?.thread_ts
  const place: Address = thread === undefined ? { channel: chat } : { channel: chat, thread }
  const act: IncomingAct = {
    kind: 'tap',
    token: toStorable(token),
    messageId,
    ...buttonPresence(message, token),
  }
  return toAction({
    via: 'tap',
    userId: user.id,
    team: user.team_id ?? team?.id,
    // The trigger id is unique; two taps may have the same time.
    externalId: `${me.teamId}:tap:${trigger}`,
    place,
    within: place,
    act,
  })
}

/** Whether the message has a button with this value; empty if the payload does not include its blocks. */
function buttonPresence(
  message: BlockActions['message'],
  token: string,
): { readonly isThere?: boolean } {
  if (message?.blocks === undefined) return {}
  const elements = message.blocks.flatMap(({ elements: some = [] }) => some)
  return { isThere: elements.some(({ value }) => value === token) }
}

/** Parses a slash command: `/countersign status` becomes `/status`; text without a known command is a message. */
export function readCommand(
  command: SlashCommand,
  names: ReadonlySet<string>,
  { me, paths }: { readonly me: SlackIdentity; readonly paths?: ReplyPaths | undefined },
): Read {
  const text = commandText(fromMarkup(command.text, me.userId), names)
  return toAction({
    via: 'command',
    userId: command.user_id,
    team: command.team_id,
    externalId: `${me.teamId}:command:${command.trigger_id}`,
    place: { channel: command.channel_id },
    replyBy: ({ id: callerId }) =>
      paths?.seal(command.response_url ?? '', { place: command.channel_id, callerId }),
    act: { kind: 'message', text: toStorable(text.slice(0, longestText)) },
  })
}

function commandText(written: string, names: ReadonlySet<string>): string {
  if (written === '') return '/help'
  const bare = written.replace(/^\//, '')
  const [name = ''] = bare.split(/\s/, 1)
  return names.has(name) ? `/${bare}` : written
}

interface ActionFacts {
  readonly via: Via
  readonly userId: string
  readonly team: string | undefined
  readonly externalId: string
  readonly place: Address
  readonly within?: Address | undefined
  readonly act: IncomingAct
  /** Seals the `response_url` for the person. */
  replyBy?(from: Person): string | undefined
}

export function toAction({
  via,
  userId,
  team,
  externalId,
  place,
  within,
  act,
  replyBy,
}: ActionFacts): Read {
  return {
    kind: 'act',
    via,
    userId,
    team,
    within,
    toIncoming: (from) => ({
      platform: 'slack',
      externalId,
      place: formatAddress(place),
      // Commands may come from direct messages between other people, which cannot be told from the bot's own.
      isPrivate: via !== 'command' && isPrivate(place),
      from,
      act,
      ...replyPathOf(replyBy?.(from)),
    }),
  }
}

function replyPathOf(sealed: string | undefined): Pick<Incoming, 'replyPath'> {
  return sealed === undefined ? {} : { replyPath: { sealed, forMs: replyLifeMs } }
}

/**
 * Converts Slack's markup to the text that the person wrote (https://docs.slack.dev/messaging/formatting-message-text):
 * references as displayed, entities decoded, and mentions of the bot removed.
 */
export function fromMarkup(text: string, ownUserId: string): string {
  return text
    .replaceAll(reference, (_all, sign: string, target: string, label?: string) =>
      sign === '@' && target === ownUserId ? '' : read(sign, target, label ?? ''),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim()
}

function read(sign: string, target: string, label: string): string {
  if (sign === '@') return `@${label || target}`
  if (sign === '#') return `#${label || target}`
  if (sign === '!') return label || `@${target.split('^', 1)[0] ?? target}`
  const address = target.replace(/^mailto:/, '')
  return label === '' || label === address ? address : `${label} (${address})`
}
