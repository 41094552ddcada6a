import type { UpdateTaker } from './take-update.ts'
import type { ReadUpdate } from './to-incoming.ts'

export interface BatchOutcome {
  /** The offset to request next, which confirms all earlier updates. Undefined if there was no update. */
  readonly next: number | undefined
  /** Why an update could not be stored, if so. */
  readonly notStored: string | undefined
}

export type BatchTaker = (
  updates: readonly ReadUpdate[],
  signal: AbortSignal,
) => Promise<BatchOutcome>

const parallelism = 8

/**
 * Stores the updates of a batch: in order within a conversation, several conversations in parallel. After an update that cannot
 * be stored, no further one is started, as the database is probably unavailable. Updates stored beyond it are remembered and
 * skipped when they arrive again.
 */
export function createBatchTaker(taker: UpdateTaker): BatchTaker {
  const stored = new Set<number>()
  return async (updates, signal) => {
    let notStored: string | undefined
    const store = async (update: ReadUpdate): Promise<void> => {
      if (signal.aborted) return
      if (notStored !== undefined) return taker.postpone(update)
      const taken = await taker.take(update)
      if (taken.kind === 'kept') notStored = taken.why
      else if (update.updateId !== undefined) stored.add(update.updateId)
    }
    const fresh = updates.filter(({ updateId }) => updateId === undefined || !stored.has(updateId))
    await inParallel(byConversation(fresh), async (line) => {
      for (const update of line) await store(update)
    })
    const next = nextOffset(updates, stored)
    for (const id of stored) if (next !== undefined && id < next) stored.delete(id)
    return { next, notStored }
  }
}

function byConversation(updates: readonly ReadUpdate[]): readonly (readonly ReadUpdate[])[] {
  return [...Map.groupBy(updates, conversationOf).values()]
}

/** Key of the conversation. Parts of an album are processed in order, as an earlier one decides whether they are for the bot. */
function conversationOf(update: ReadUpdate): string {
  if (update.kind === 'incoming') return update.incoming.place
  return update.kind === 'ignored' ? (update.ifAlbum?.incoming.place ?? '') : ''
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: parallelism }, lane))
}

/** Id of the first update that is not stored, or the one after the last. */
function nextOffset(
  updates: readonly ReadUpdate[],
  stored: ReadonlySet<number>,
): number | undefined {
  const ids = updates.flatMap(({ updateId }) => updateId ?? [])
  if (ids.length === 0) return undefined
  const missing = ids.filter((id) => !stored.has(id))
  return missing.length > 0 ? Math.min(...missing) : Math.max(...ids) + 1
}
