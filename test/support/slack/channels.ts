import type { StoredMessage } from './messages.ts'
import type { SlackUser } from './users.ts'
import type { World } from './world.ts'

export type ChannelKind = 'channel' | 'group' | 'im' | 'mpim'

/** Something that was shown, in the order of showing. */
export interface HistoryEntry {
  readonly kind: 'send' | 'edit' | 'delete'
  readonly at: number
  /** As it was then. */
  readonly message: Readonly<StoredMessage>
}

/** What assistant.threads.setStatus showed. */
export interface StatusEntry {
  readonly threadTs: string
  /** Empty: it was cleared. */
  readonly status: string
  readonly loadingMessages: readonly string[]
  readonly at: number
}

/** What an assistant thread has beside its messages. */
export interface AssistantThread {
  readonly threadTs: string
  readonly userId: string
  title: string | undefined
  prompts: { readonly title?: string; readonly prompts: readonly SuggestedPrompt[] } | undefined
  context: Readonly<Record<string, string>>
}

export interface SuggestedPrompt {
  readonly title: string
  readonly message: string
}

/** `processing` shows a Stop button: https://docs.slack.dev/ai/agent-sessions */
export interface AgentSession {
  readonly threadTs: string
  status: 'active' | 'processing' | 'suspended' | 'closed'
  title: string | undefined
}

/** A conversation with everything that ever stood in it. */
export interface ChannelState {
  /** `C…`, `G…` or `D…` */
  readonly id: string
  readonly kind: ChannelKind
  readonly name: string
  readonly created: number
  /** More than one: Slack Connect. */
  readonly teamIds: readonly string[]
  /** Of people and bots. */
  readonly members: Set<string>
  readonly messages: Map<string, StoredMessage>
  readonly history: HistoryEntry[]
  readonly statuses: StatusEntry[]
  /** By the ts of the thread's first message. */
  readonly assistantThreads: Map<string, AssistantThread>
  readonly sessions: Map<string, AgentSession>
  archived: boolean
  /** Only administrators may write. */
  readOnly: boolean
}

export function createChannel(
  world: World,
  given: {
    readonly kind: ChannelKind
    readonly name: string
    readonly members: readonly string[]
    readonly teamIds?: readonly string[]
    readonly id?: string
  },
): ChannelState {
  const letter = { channel: 'C', group: 'C', im: 'D', mpim: 'C' }[given.kind]
  const state: ChannelState = {
    id: given.id ?? world.id(letter),
    kind: given.kind,
    name: given.name,
    created: Math.floor(world.now() / 1000),
    teamIds: given.teamIds ?? [world.app.teamId],
    members: new Set(given.members),
    messages: new Map(),
    history: [],
    statuses: [],
    assistantThreads: new Map(),
    sessions: new Map(),
    archived: false,
    readOnly: false,
  }
  if (world.channels.has(state.id)) throw new Error(`there is a channel ${state.id} already`)
  world.channels.set(state.id, state)
  return state
}

/** The direct messages of somebody with the app; opened when there are none yet. */
export function openIm(world: World, user: SlackUser): ChannelState {
  for (const state of world.channels.values()) {
    if (state.kind === 'im' && state.members.has(user.id)) return state
  }
  const members = [user.id, world.app.userId]
  const teamIds = [...new Set([world.app.teamId, user.teamId])]
  return createChannel(world, { kind: 'im', name: '', members, teamIds })
}

export function note(
  world: World,
  state: ChannelState,
  kind: HistoryEntry['kind'],
  message: StoredMessage,
): void {
  state.history.push({ kind, at: world.now(), message: { ...message } })
  world.changed()
}

/** A channel as conversations.info shows it. */
export function toApiChannel(
  state: ChannelState,
  app: { readonly userId: string },
): Record<string, unknown> {
  const { id, kind, created, archived } = state
  const shared = state.teamIds.length > 1
  const base = { id, created, is_archived: archived, is_org_shared: false, is_ext_shared: shared }
  if (kind === 'im') {
    const user = [...state.members].find((member) => member !== app.userId)
    return { ...base, is_im: true, user, is_user_deleted: false, priority: 0 }
  }
  return {
    ...base,
    name: state.name,
    name_normalized: state.name,
    is_channel: kind === 'channel',
    is_group: kind === 'group',
    is_im: false,
    is_mpim: kind === 'mpim',
    is_private: kind !== 'channel',
    is_general: false,
    is_shared: shared,
    is_member: state.members.has(app.userId),
    shared_team_ids: [...state.teamIds],
    context_team_id: state.teamIds[0],
    topic: { value: '', creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
  }
}
