import { createRecentKeys } from '../incoming/recent-keys.ts'
import { type Address, formatAddress, threadOf } from './outgoing/address.ts'

/**
 * Threads with at least one reply, as far as this process knows. Slack shows an ephemeral message only in those, otherwise in
 * the channel (https://docs.slack.dev/reference/methods/chat.postEphemeral).
 */
export interface AnsweredThreads {
  record(place: Address): void
  /** Parameter for the thread in which to show a message; empty for the channel. */
  threadOf(place: Address): ReturnType<typeof threadOf>
}

const maxThreads = 5_000

export function createAnsweredThreads(): AnsweredThreads {
  const seen = createRecentKeys(maxThreads)
  return {
    record: (place) => {
      if (place.thread !== undefined) seen.add(formatAddress(place))
    },
    threadOf: (place) => (seen.has(formatAddress(place)) ? threadOf(place) : {}),
  }
}
