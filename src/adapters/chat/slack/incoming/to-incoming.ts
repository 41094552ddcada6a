import type { Incoming, IncomingAct, Person } from '../../../../ports/chat.ts'
import { toStorable } from '../../../../util/text/storable.ts'
import type { SlackIdentity } from '../connect.ts'
import { isPrivate, type Place, toPlace } from '../outgoing/place.ts'
import type { ReplyPaths } from '../reply-paths.ts'
import type { BlockActions, SlackMessageEvent, SlashCommand } from './envelope-schema.ts'
import { fromMarkup } from './from-markup.ts'
import { toFiles } from './to-files.ts'

const longestText = 200_000
/** How long Slack takes answers at a `response_url`. */
const replyLifeMs = 30 * 60_000
/** Messages of people; all other subtypes tell of something else. */
const subtypes: ReadonlySet<string | undefined> = new Set([
  undefined,
  'file_share',
  'thread_broadcast',
])

/** How it came: only events come again. */
export type Via = 'event' | 'tap' | 'form' | 'command'

/** Who is asked for, and what they did once it is known who they are; or why it is nobody's. */
export type Read =
  | {
      readonly kind: 'act'
      readonly via: Via
      readonly userId: string
      /** The thread that it was done in, among its answers. */
      readonly within?: Place | undefined
      /** As the event says it. */
      readonly team: string | undefined
      toIncoming(from: Person): Incoming
    }
  | { readonly kind: 'ignored'; readonly why: string }

/** SLACK-01: a message to us: in a direct message any, elsewhere one that mentions us, whose thread is the conversation. */
export function readMessage(eventId: string, event: SlackMessageEvent, me: SlackIdentity): Read {
  const ignored = (why: string): Read => ({ kind: 'ignored', why })
  const isDirect = event.channel.startsWith('D')
  if (event.bot_id !== undefined || event.user === undefined) return ignored('a message of a bot')
  if (event.user === me.userId) return ignored('a message of ours')
  if (!subtypes.has(event.subtype)) return ignored('not a new message')
  if (isDirect !== (event.type === 'message')) return ignored('not addressed to us')
  const { ts, thread_ts: thread, channel, files = [] } = event
  const root = isDirect ? thread : (thread ?? ts)
  const place: Place = root === undefined ? { channel } : { channel, thread: root }
  const text = toStorable(fromMarkup(event.text ?? '', me.userId).slice(0, longestText))
  const hasFile = files.length > 0
  if (text === '' && !hasFile) return ignored('no words')
  const act: IncomingAct = { kind: 'message', text, ...filesOf(files) }
  return actOf({
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

/** What a tap does: the first of its actions, which is the only one that a button has. */
export function readTap(payload: BlockActions, me: SlackIdentity): Read {
  const { user, team, container, channel, message, actions, trigger_id: trigger } = payload
  const [action] = actions
  const chat = channel?.id ?? container.channel_id
  const messageId = message?.ts ?? container.message_ts
  const token = action?.value
  if (chat === undefined || messageId === undefined || token === undefined)
    return { kind: 'ignored', why: 'a tap on nothing of ours' }
  const thread = message?.thread_ts
  const place: Place = thread === undefined ? { channel: chat } : { channel: chat, thread }
  const act: IncomingAct = {
    kind: 'tap',
    token: toStorable(token),
    messageId,
    ...there(message, token),
  }
  return actOf({
    via: 'tap',
    userId: user.id,
    team: user.team_id ?? team?.id,
    // Two taps may have the same time.
    externalId: `${me.teamId}:tap:${trigger}`,
    place,
    within: place,
    act,
  })
}

/** Whether the message that Slack shows has a button with this value; nothing where it does not tell. */
function there(message: BlockActions['message'], token: string): { readonly isThere?: boolean } {
  if (message?.blocks === undefined) return {}
  const elements = message.blocks.flatMap(({ elements: some = [] }) => some)
  return { isThere: elements.some(({ value }) => value === token) }
}

/** `/countersign status` is `/status`; what begins with no command of ours is a message. */
export function readCommand(
  command: SlashCommand,
  names: ReadonlySet<string>,
  { me, paths }: { readonly me: SlackIdentity; readonly paths?: ReplyPaths | undefined },
): Read {
  const text = commandText(fromMarkup(command.text, me.userId), names)
  return actOf({
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

interface Act {
  readonly via: Via
  readonly userId: string
  readonly team: string | undefined
  readonly externalId: string
  readonly place: Place
  readonly within?: Place | undefined
  readonly act: IncomingAct
  /** A `response_url`, sealed for whoever did it. */
  replyBy?(from: Person): string | undefined
}

export function actOf({ via, userId, team, externalId, place, within, act, replyBy }: Act): Read {
  return {
    kind: 'act',
    via,
    userId,
    team,
    within,
    toIncoming: (from) => ({
      platform: 'slack',
      externalId,
      place: toPlace(place),
      // Commands come from direct messages of other people, too, which nothing tells from ours.
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
