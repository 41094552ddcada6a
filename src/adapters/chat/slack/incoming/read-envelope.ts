import { toStorable } from '../../../../util/text/storable.ts'
import type { SlackIdentity } from '../connect.ts'
import { parsePlace } from '../outgoing/place.ts'
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
import { actOf, type Read, readCommand, readMessage, readTap } from './to-incoming.ts'

/** What Slack handed over. `why` holds nothing of what people wrote. */
export type Envelope =
  | (Extract<Read, { kind: 'act' }> & {
      /** What may open a form for whoever did it, for 3 s. */
      readonly triggerId?: string
    })
  | { readonly kind: 'thread_started'; readonly channel: string; readonly thread: string }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'malformed'; readonly why: string }

export interface Reader {
  readonly me: SlackIdentity
  /** Of our slash commands, without `/`. */
  readonly commands: ReadonlySet<string>
  readonly paths?: ReplyPaths | undefined
}

/** Never throws, whatever it is given. */
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

/** SLACK-05: Slack's own Stop button, of a thread in which something is done. */
function readStop(
  eventId: string,
  { user, channel, thread_ts: thread, event_ts: pressed }: SessionStopped,
  me: SlackIdentity,
): Envelope {
  return actOf({
    via: 'event',
    userId: user,
    team: undefined,
    externalId: `${me.teamId}:${eventId}`,
    place: { channel, thread },
    act: { kind: 'stop', ...(pressed !== undefined && { pressedAt: toMs(pressed) }) },
  })
}

/** Of a time as Slack writes it: seconds since 1970. */
function toMs(ts: string): number {
  return Math.round(Number(ts) * 1_000)
}

/** A form that came back is the tap that opened it, with what was written. */
function readForm({ user, team, view }: ViewSubmission, me: SlackIdentity): Envelope {
  const behind = readMetadata(view.private_metadata)
  const place = behind === undefined ? undefined : parsePlace(behind.place)
  if (behind === undefined || place === undefined)
    return { kind: 'ignored', why: 'a form of another app' }
  const messageId = toStorable(behind.messageId)
  const token = toStorable(behind.token)
  const written = toStorable(view.state.values[fieldId]?.[fieldId]?.value ?? '')
  return actOf({
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

/** Names of the schema, and none that came with what was sent. */
function nameOf(part: PropertyKey): string {
  return /^\w{1,40}$/.test(String(part)) ? String(part) : '…'
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly code: string
}
