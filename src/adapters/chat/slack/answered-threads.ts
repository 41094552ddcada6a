import { createRecentKeys } from '../incoming/recent-keys.ts'
import { type Place, threadOf, toPlace } from './outgoing/place.ts'

/**
 * Threads that have an answer, as far as this process saw one. Slack shows what is for one person alone in no others
 * (https://docs.slack.dev/reference/methods/chat.postEphemeral): it goes to their channel instead.
 */
export interface AnsweredThreads {
  saw(place: Place): void
  /** The thread to show it in, as the method takes it. */
  threadOf(place: Place): ReturnType<typeof threadOf>
}

const remembered = 5_000

export function createAnsweredThreads(): AnsweredThreads {
  const seen = createRecentKeys(remembered)
  return {
    saw: (place) => {
      if (place.thread !== undefined) seen.add(toPlace(place))
    },
    threadOf: (place) => (seen.has(toPlace(place)) ? threadOf(place) : {}),
  }
}
