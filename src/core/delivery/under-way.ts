import type { Db } from '../../db/schema.ts'
import { findEndedPlaces, findPlaceStates } from '../../db/turn/places-of-turns.ts'
import type { ActivityReader } from '../../ports/chat.ts'

/** What was left longer ago, or is more, ends by itself. */
const mostEnded = 40

/** What turns of a platform are at, by their rows. */
export function createUnderWay(db: Db, platform: string): ActivityReader {
  const statesOf: ActivityReader['statesOf'] = async (places) =>
    places.length === 0 ? new Map() : findPlaceStates(db, platform, places)
  return {
    statesOf,
    endedWithin: async (withinMs) => {
      const ended = await findEndedPlaces(db, platform, { withinMs, most: mostEnded })
      const states = await statesOf(ended)
      return ended.filter((place) => states.get(place) === 'idle')
    },
  }
}
