import type { Db } from '../../db/schema.ts'
import { findActivityStates, findRecentlyEnded } from '../../db/turn/turn-activity.ts'
import type { ActivityReader } from '../../ports/chat.ts'

/** What was left longer ago, or is more, ends by itself. */
const mostEnded = 40

/** What turns of a platform are at, by their rows. */
export function createUnderWay(db: Db, platform: string): ActivityReader {
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
