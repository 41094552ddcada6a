import type { ChatHandle } from '../../support/telegram/chat-handle.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'
import type { Place } from '../support/place.ts'

/** One message of a person and all that follows from it, with a kill in between. */
export interface Round {
  readonly place: Place
  readonly telegram: TelegramStandIn
  readonly chat: ChatHandle
  /** In no other round. */
  readonly name: string
  /** Messages of people up to and with this one. */
  readonly messages: number
  /** Kills what this round says, at once. */
  kill(): void
  /** Settles when so many messages were taken and everything that follows from them is done and recorded. */
  settled(): Promise<void>
}

/** The command of the round: it tells in the workspace's `counter` that it began, and a second later that it ended. */
export function commandOf({ name }: Round): string {
  return `echo ${name}-begin >> counter; sleep 1; echo ${name}-end >> counter`
}
