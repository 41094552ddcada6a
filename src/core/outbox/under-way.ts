import { findEndedPlaces, findIdlePlaces } from '../../db/places-of-turns.ts'
import type { Db } from '../../db/schema.ts'
import type { UnderWay } from '../../ports/chat.ts'

/** What was left longer ago, or is more, ends by itself. */
const mostEnded = 40

/** Where turns of a platform are under way, by their rows. */
export function createUnderWay(db: Db, platform: string): UnderWay {
  const idleOf = (places: readonly string[]) => findIdlePlaces(db, platform, places)
  return {
    idleOf,
    endedWithin: async (withinMs) => {
      const ended = await findEndedPlaces(db, platform, { withinMs, most: mostEnded })
      return ended.length === 0 ? [] : idleOf(ended)
    },
  }
}
