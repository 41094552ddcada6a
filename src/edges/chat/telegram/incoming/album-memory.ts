import type { Incoming } from '../../../../ports/chat.ts'
import { createRecentKeys } from '../../incoming/recent-keys.ts'
import type { ReadUpdate } from './to-incoming.ts'

type Part = Pick<Extract<ReadUpdate, { kind: 'incoming' }>, 'incoming' | 'album'>

/** Has the files of an album told of once: its parts come as messages of their own. */
export interface AlbumMemory {
  /** What is to be handed over of a part; undefined: nothing is left of it. */
  leftOf(part: Part): Incoming | undefined
  /** It was handed over for good. */
  taken(part: Part): void
}

const rememberedAlbums = 1_000

export function createAlbumMemory(): AlbumMemory {
  const told = createRecentKeys(rememberedAlbums)
  return {
    leftOf: ({ incoming, album }) =>
      album !== undefined && told.has(album) ? withoutFile(incoming) : incoming,
    taken: ({ album }) => {
      if (album !== undefined) told.add(album)
    },
  }
}

function withoutFile(incoming: Incoming): Incoming | undefined {
  const { act } = incoming
  if (act.kind !== 'message' || act.unread === undefined) return incoming
  const { unread, ...rest } = act
  return act.text === '' ? undefined : { ...incoming, act: rest }
}
