import { ChangeSignal } from '../telegram/waiting.ts'
import type { AppState } from './apps.ts'
import type { ChannelState } from './channels.ts'
import type { Deliveries } from './delivery/deliveries.ts'
import type { StoredFile } from './files/files.ts'
import type { ResponseUrls } from './respond/response-urls.ts'
import type { Triggers } from './respond/triggers.ts'
import type { SlackUser, Team } from './users.ts'

/** Everything that is on the platform's side, whatever becomes of the app's processes. */
export interface World {
  readonly app: AppState
  readonly teams: Map<string, Team>
  readonly users: Map<string, SlackUser>
  readonly channels: Map<string, ChannelState>
  /** Members of a user group, by its `S…`. */
  readonly groups: Map<string, readonly string[]>
  readonly files: Map<string, StoredFile>
  readonly triggers: Triggers
  readonly responseUrls: ResponseUrls
  readonly deliveries: Deliveries
  readonly changes: ChangeSignal
  readonly limits: WorldLimits
  /** Where this server is reached: `http://127.0.0.1:PORT`. */
  url: string
  /** Unix milliseconds. */
  now(): number
  /** A new timestamp: unlike every other of this world, and later. */
  ts(): string
  /** A new id: `C0000000A1`. */
  id(letter: string): string
  /** Something happened that a test may wait for. */
  changed(): void
}

/** What a test may set otherwise than Slack has it. */
export interface WorldLimits {
  /** People may edit so long after writing; an app's messages too. Undefined: for ever. */
  editWindowMs: number | undefined
  /** A stream is over after this time, whatever is added: about five minutes with Slack. */
  streamLifeMs: number
  /** A stream to which nothing is added for this time is over: about half a minute, as others measured. */
  streamIdleMs: number
  /** A status goes away after this time, if no message comes: two minutes with Slack. */
  statusMs: number
}

export type WorldParts = Pick<
  World,
  'app' | 'triggers' | 'responseUrls' | 'deliveries' | 'now' | 'limits'
>

export function createWorld(parts: WorldParts): World {
  const changes = new ChangeSignal()
  const clock = { lastMicros: 0 }
  const ids = { next: 1 }
  return {
    ...parts,
    teams: new Map(),
    users: new Map(),
    channels: new Map(),
    groups: new Map(),
    files: new Map(),
    changes,
    url: '',
    ts: () => {
      clock.lastMicros = Math.max(parts.now() * 1000, clock.lastMicros + 1)
      const seconds = Math.floor(clock.lastMicros / 1_000_000)
      return `${seconds}.${String(clock.lastMicros % 1_000_000).padStart(6, '0')}`
    },
    id: (letter) => `${letter}0${(ids.next++).toString(36).toUpperCase().padStart(8, '0')}`,
    changed: () => changes.fire(),
  }
}
