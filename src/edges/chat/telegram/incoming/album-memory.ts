import { createRecentKeys } from '../../incoming/recent-keys.ts'
import type { ReadUpdate } from './to-incoming.ts'

type Part = Extract<ReadUpdate, { kind: 'incoming' }>

/**
 * Knows albums of which a part was taken. Their parts come as messages of their own, and in a group only one of them has the words by
 * which all are for us.
 */
export interface AlbumMemory {
  /** What is to be handed over of an update: also of one that is for us by its album alone. */
  readonly join: (update: ReadUpdate) => ReadUpdate
  /** It was handed over for good. */
  readonly taken: (part: Part) => void
}

const rememberedAlbums = 1_000

export function createAlbumMemory(): AlbumMemory {
  const known = createRecentKeys(rememberedAlbums)
  return {
    join: (update) => {
      if (update.kind !== 'ignored' || update.ifAlbum === undefined) return update
      return known.has(keyOf(update.ifAlbum) ?? '') ? update.ifAlbum : update
    },
    taken: (part) => {
      const key = keyOf(part)
      if (key !== undefined) known.add(key)
    },
  }
}

/** Albums are of one person and one chat. */
function keyOf({ incoming: { act, place, from } }: Part): string | undefined {
  if (act.kind !== 'message' || act.album === undefined) return undefined
  return `${place} ${from.id} ${act.album}`
}
