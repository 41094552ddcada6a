import type { ModalState } from './modals.ts'

/** The app under test, as it is installed in its team. */
export interface AppState {
  /** `A…` */
  readonly id: string
  readonly name: string
  readonly teamId: string
  /** Of its bot user. */
  readonly userId: string
  /** `B…` */
  readonly botId: string
  readonly botToken: string
  readonly appToken: string
  readonly signingSecret: string
  readonly scopes: ReadonlySet<string>
  readonly appScopes: ReadonlySet<string>
  /** Those of `bot_events`. */
  readonly events: ReadonlySet<string>
  /** `/name`; undefined: any. */
  readonly commands: ReadonlySet<string> | undefined
  /** Without, there are no clicks and no modals. */
  readonly interactive: boolean
  /** Whether the app is declared an agent (assistant). */
  readonly agent: boolean
  /** False: somebody removed it, and its bot token is dead. */
  installed: boolean
  /** By view id. */
  readonly modals: Map<string, ModalState>
}
