import type { Db } from '../../db/schema.ts'
import { findActivityStates, findRecentlyEnded } from '../../db/turn/turn-activity.ts'
import type { ActivityReader } from '../../ports/chat.ts'
import { isConnectionLoss } from '../../util/has-code.ts'

/** Maximum ended turns to clean up; older or further activity ends by itself. */
const mostEnded = 40

/**
 * Tracks whether messages of silent senders may be taken over. Not right after a database outage: other gateways could not renew
 * their leases, and may have sent messages they could not record (CHAT-06).
 */
export class TakeoverGuard {
  readonly #patienceMs: number
  #lostAt = -Infinity

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  get isSafe(): boolean {
    return performance.now() - this.#lostAt > this.#patienceMs
  }

  /** Runs `work` and notes a lost database connection. */
  async trackOutages<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (isConnectionLoss(error)) this.#lostAt = performance.now()
      throw error
    }
  }
}

/** Reads the activity of a platform's turns from their rows. */
export function createActivityReader(db: Db, platform: string): ActivityReader {
  const statesOf: ActivityReader['statesOf'] = async (places) =>
    places.length === 0 ? new Map() : findActivityStates(db, platform, places)
  return {
    statesOf,
    endedWithin: async (withinMs) => {
      const ended = await findRecentlyEnded(db, platform, { withinMs, most: mostEnded })
      const states = await statesOf(ended)
      return ended.filter((place) => states.get(place) === 'idle')
    },
  }
}
