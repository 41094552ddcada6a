import { toStorable } from '../../../../util/text/storable.ts'
import type { SlackIdentity } from '../connect.ts'
import { parseAddress } from '../outgoing/address.ts'
import type { ReplyPaths } from '../reply-paths.ts'
import {
  blockActions,
  eventCallback,
  messageCallback,
  type SessionStopped,
  sessionStoppedCallback,
  slashCommand,
  threadStartedCallback,
  type ViewSubmission,
  viewSubmission,
} from './envelope-schema.ts'
import { fieldId, readMetadata } from './forms.ts'
import { type Read, readCommand, readMessage, readTap, toAction } from './to-incoming.ts'

/** A parsed payload of Slack. `why` contains no user text. */
export type Envelope =
  | (Extract<Read, { kind: 'act' }> & {
      /** Allows opening a form for the person, for 3 s. */
      readonly triggerId?: string
    })
  | { readonly kind: 'thread_started'; readonly channel: string; readonly thread: string }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'malformed'; readonly why: string }

export interface Reader {
  readonly me: SlackIdentity
  /** Names of the slash commands, without `/`. */
  readonly commands: ReadonlySet<string>
  readonly paths?: ReplyPaths | undefined
}

/** Parses a payload. Never throws. */
export function readEnvelope(body: unknown, { me, commands, paths }: Reader): Envelope {
  const { type } =
    typeof body === 'object' && body !== null ? { type: Reflect.get(body, 'type') } : {}
  switch (type) {
    case 'event_callback':
      return readEvent(body, me)
    case 'block_actions': {
      const parsed = blockActions.safeParse(body)
      if (!parsed.success) return malformed('a tap', parsed.error)
      const read = readTap(parsed.data, me)
      return read.kind === 'act' ? { ...read, triggerId: parsed.data.trigger_id } : read
    }
    case 'view_submission': {
      const parsed = viewSubmission.safeParse(body)
      return parsed.success ? readForm(parsed.data, me) : malformed('a form', parsed.error)
    }
    case undefined: {
      const parsed = slashCommand.safeParse(body)
      return parsed.success
        ? readCommand(parsed.data, commands, { me, paths })
        : malformed('a command', parsed.error)
    }
    default:
      return { kind: 'ignored', why: 'something of another kind' }
  }
}

function readEvent(body: unknown, me: SlackIdentity): Envelope {
  const outer = eventCallback.safeParse(body)
  if (!outer.success) return malformed('an event', outer.error)
  if (outer.data.team_id !== me.teamId) return { kind: 'ignored', why: 'of another workspace' }
  const { type } = outer.data.event
  if (type === 'message' || type === 'app_mention') {
    const parsed = messageCallback.safeParse(body)
    if (!parsed.success) return malformed('a message', parsed.error)
    return readMessage(parsed.data.event_id, parsed.data.event, me)
  }
  if (type === 'assistant_thread_started') {
    const parsed = threadStartedCallback.safeParse(body)
    if (!parsed.success) return malformed('a thread', parsed.error)
    const { channel_id: channel, thread_ts: thread } = parsed.data.event.assistant_thread
    return { kind: 'thread_started', channel, thread }
  }
  if (type === 'agent_session_stopped') {
    const parsed = sessionStoppedCallback.safeParse(body)
    if (!parsed.success) return malformed('a stop', parsed.error)
    return readStop(parsed.data.event_id, parsed.data.event, me)
  }
  return { kind: 'ignored', why: 'an event of another kind' }
}

/** A tap on Slack's own Stop button of a thread with a running turn (SLACK-05). */
function readStop(
  eventId: string,
  { user, channel, thread_ts: thread, event_ts: pressed }: SessionStopped,
  me: SlackIdentity,
): Envelope {
  return toAction({
    via: 'event',
    userId: user,
    team: undefined,
    externalId: `${me.teamId}:${eventId}`,
    place: { channel, thread },
    act: { kind: 'stop', ...(pressed !== undefined && { pressedAt: toMs(pressed) }) },
  })
}

/** Converts Slack's timestamp, in seconds since 1970, to milliseconds. */
function toMs(ts: string): number {
  return Math.round(Number(ts) * 1_000)
}

/** A submitted form is the tap that opened it, with the text added. */
function readForm({ user, team, view }: ViewSubmission, me: SlackIdentity): Envelope {
  const behind = readMetadata(view.private_metadata)
  const place = behind === undefined ? undefined : parseAddress(behind.place)
  if (behind === undefined || place === undefined)
    return { kind: 'ignored', why: 'a form of another app' }
  const messageId = toStorable(behind.messageId)
  const token = toStorable(behind.token)
  const written = toStorable(view.state.values[fieldId]?.[fieldId]?.value ?? '')
  return toAction({
    via: 'form',
    userId: user.id,
    team: user.team_id ?? team?.id,
    externalId: `${me.teamId}:form:${view.id}`,
    place,
    act: { kind: 'tap', token, messageId, written },
  })
}

function malformed(what: string, { issues }: { readonly issues: readonly Issue[] }): Envelope {
  const [issue] = issues
  const where = issue?.path.map(nameOf).join('.') ?? ''
  return { kind: 'malformed', why: `${what}: ${where} ${issue?.code ?? 'unreadable'}` }
}

/** Limits names in error messages to those of the schema. */
function nameOf(part: PropertyKey): string {
  return /^\w{1,40}$/.test(String(part)) ? String(part) : '…'
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly code: string
}
