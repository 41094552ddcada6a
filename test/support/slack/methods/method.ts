import type { AppState } from '../apps.ts'
import type { SocketMode } from '../delivery/socket-mode.ts'
import { Refusal } from '../limits/refusal.ts'
import type { Params } from '../params.ts'
import type { World } from '../world.ts'

/** One call of a method. */
export interface Call {
  readonly world: World
  readonly app: AppState
  readonly params: Params
  readonly sockets: SocketMode
}

export interface Method {
  readonly token: 'bot' | 'app'
  /** All of them are needed. */
  readonly scopes: readonly string[]
  /** Calls a minute, by Slack's tiers; `channel`: one a second in a channel. */
  readonly pace: 20 | 50 | 100 | 'channel' | 'special'
  /** Answers the result without `ok`, or throws a Refusal. */
  run(call: Call): Readonly<Record<string, unknown>>
}

/** Refuses a call whose token lacks a scope that only some uses of the method need. */
export function needScope({ app }: Pick<Call, 'app'>, ...anyOf: readonly string[]): void {
  if (anyOf.some((scope) => app.scopes.has(scope))) return
  throw new Refusal('missing_scope', {
    needed: anyOf.join(','),
    provided: [...app.scopes].join(','),
  })
}
