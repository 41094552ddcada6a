import type { AppState } from './apps.ts'

export interface AppOptions {
  /** Bot scopes; those of everything the stand-in knows unless given. */
  readonly scopes?: readonly string[]
  /** Scopes of the app-level token. */
  readonly appScopes?: readonly string[]
  /** What stands in the manifest's `bot_events`; everything the stand-in knows unless given. */
  readonly events?: readonly string[]
  /** With the slash; any unless given. */
  readonly commands?: readonly string[]
  /** Without, nobody can click and no modal opens. True unless given. */
  readonly interactive?: boolean
  /** Whether the app is declared an agent. True unless given. */
  readonly agent?: boolean
}

const everyScope = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'chat:write.customize',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'mpim:history',
  'mpim:read',
  'mpim:write',
  'reactions:write',
  'users:read',
] as const

const everyEvent = [
  'agent_session_stopped',
  'agent_session_title_changed',
  'app_home_opened',
  'app_mention',
  'assistant_thread_context_changed',
  'assistant_thread_started',
  'member_joined_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
] as const

/** The app under test, installed in a team. */
export function createApp(options: AppOptions, teamId: string): AppState {
  return {
    id: 'A0COUNTERS1',
    name: 'Countersign',
    teamId,
    userId: 'U0COUNTERS1',
    botId: 'B0COUNTERS1',
    botToken: 'xoxb-700700700700-800800800800-StandInBotToken0123456789',
    appToken: 'xapp-1-A0COUNTERS1-900900900900-standinapptoken0123456789abcdef',
    signingSecret: '5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e',
    scopes: new Set(options.scopes ?? everyScope),
    appScopes: new Set(options.appScopes ?? ['connections:write']),
    events: new Set(options.events ?? everyEvent),
    commands: options.commands === undefined ? undefined : new Set(options.commands),
    interactive: options.interactive ?? true,
    agent: options.agent ?? true,
    installed: true,
    modals: new Map(),
  }
}
