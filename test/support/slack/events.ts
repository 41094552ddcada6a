import { randomBytes } from 'node:crypto'
import type { ChannelKind, ChannelState } from './channels.ts'
import type { DeliveryRecord } from './delivery/deliveries.ts'
import { type StoredMessage, toApiMessage } from './messages.ts'
import type { World } from './world.ts'

/** Without one of its scopes an event does not come: the pages of docs.slack.dev/reference/events. */
const scopesOfEvent: Readonly<Record<string, readonly string[]>> = {
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  app_mention: ['app_mentions:read'],
  assistant_thread_started: ['assistant:write'],
  assistant_thread_context_changed: ['assistant:write'],
  member_joined_channel: ['channels:read', 'groups:read'],
  member_left_channel: ['channels:read', 'groups:read'],
}

const subscriptionOf: Readonly<Record<ChannelKind, string>> = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
}

/** Sends an event, if the app subscribed to it and may have it. Undefined: it does not come. */
export function emit(
  world: World,
  subscription: string,
  event: Readonly<Record<string, unknown>>,
  place?: ChannelState,
): DeliveryRecord | undefined {
  const { app } = world
  const scopes = scopesOfEvent[subscription] ?? []
  const allowed = scopes.length === 0 || scopes.some((scope) => app.scopes.has(scope))
  if (!app.events.has(subscription) || !allowed) return undefined
  return world.deliveries.event({
    token: 'verification-token-of-the-stand-in',
    team_id: app.teamId,
    context_team_id: app.teamId,
    context_enterprise_id: null,
    api_app_id: app.id,
    event,
    type: 'event_callback',
    event_id: `Ev0${randomBytes(5).toString('hex').toUpperCase()}`,
    event_time: Math.floor(world.now() / 1000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: app.teamId,
        user_id: app.userId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: (place?.teamIds.length ?? 1) > 1,
    event_context: `4-${randomBytes(12).toString('base64url')}`,
  })
}

/** A message event of a channel that the app is in. */
function emitInChannel(
  world: World,
  state: ChannelState,
  event: Readonly<Record<string, unknown>>,
): DeliveryRecord | undefined {
  if (!state.members.has(world.app.userId)) return undefined
  const place = { channel: state.id, channel_type: state.kind }
  return emit(world, subscriptionOf[state.kind], { ...event, ...place }, state)
}

/** What came into a channel: a message event, and a mention beside it where one stands in it. */
export function emitMessage(world: World, state: ChannelState, message: StoredMessage): void {
  const shown = { ...toApiMessage(world, message), ...foreign(world, state, message) }
  const parent = message.threadTs === undefined ? undefined : state.messages.get(message.threadTs)
  const parentUser = parent?.userId
  const assisted = state.assistantThreads.has(message.threadTs ?? '')
  emitInChannel(world, state, {
    ...shown,
    ...(assisted && { assistant_thread: { action_token: `${message.ts}.stand-in` } }),
    ...(parentUser !== undefined && { parent_user_id: parentUser }),
    event_ts: message.ts,
  })
  const mentioned = message.userId !== world.app.userId && namesApp(world, message)
  if (mentioned && state.members.has(world.app.userId)) emitMention(world, state, message)
}

function namesApp({ app }: World, { text }: StoredMessage): boolean {
  return text.includes(`<@${app.userId}>`) || text.includes(`<@${app.userId}|`)
}

/** Not in direct messages: https://docs.slack.dev/reference/events/app_mention */
export function emitMention(world: World, state: ChannelState, message: StoredMessage): void {
  if (state.kind === 'im') return
  const shown = { ...toApiMessage(world, message), ...foreign(world, state, message) }
  const place = { channel: state.id, event_ts: message.ts }
  emit(world, 'app_mention', { ...shown, type: 'app_mention', ...place }, state)
}

/** Who wrote from another team is told so. */
function foreign(
  world: World,
  state: ChannelState,
  message: StoredMessage,
): Record<string, unknown> {
  const team = world.users.get(message.userId ?? '')?.teamId
  if (state.teamIds.length < 2 || team === undefined) return {}
  return { user_team: team, source_team: team }
}

export function emitChange(
  world: World,
  state: ChannelState,
  message: Record<string, unknown>,
  previous: Record<string, unknown>,
): void {
  const ts = world.ts()
  emitInChannel(world, state, {
    type: 'message',
    subtype: 'message_changed',
    message,
    previous_message: previous,
    hidden: true,
    ts,
    event_ts: ts,
  })
}

export function emitDeletion(
  world: World,
  state: ChannelState,
  previous: Record<string, unknown>,
): void {
  const ts = world.ts()
  emitInChannel(world, state, {
    type: 'message',
    subtype: 'message_deleted',
    previous_message: previous,
    hidden: true,
    deleted_ts: previous['ts'],
    ts,
    event_ts: ts,
  })
}
