import type { UpdateTaker } from './take-update.ts'
import type { ReadUpdate } from './to-incoming.ts'

export interface BatchOutcome {
  /** What to ask for next: everything before it is confirmed by that. Undefined: nothing was new. */
  readonly next: number | undefined
  /** Why something is not stored, if so. */
  readonly kept: string | undefined
}

export type BatchTaker = (
  updates: readonly ReadUpdate[],
  signal: AbortSignal,
) => Promise<BatchOutcome>

const lanes = 8

/**
 * Takes the updates of a batch: those of a conversation one after the other, several conversations at once. One that
 * cannot be stored holds back its conversation and, as all are probably lost, whatever has not begun. What was stored
 * beyond it is remembered and not taken again when it comes again.
 */
export function createBatchTaker(taker: UpdateTaker): BatchTaker {
  const stored = new Set<number>()
  return async (updates, signal) => {
    let kept: string | undefined
    const takeOne = async (update: ReadUpdate): Promise<void> => {
      if (signal.aborted) return
      if (kept !== undefined) return taker.postpone(update)
      const taken = await taker.take(update)
      if (taken.kind === 'kept') kept = taken.why
      else if (update.updateId !== undefined) stored.add(update.updateId)
    }
    const fresh = updates.filter(({ updateId }) => updateId === undefined || !stored.has(updateId))
    await inLanes(byConversation(fresh), async (line) => {
      for (const update of line) await takeOne(update)
    })
    const next = firstToCome(updates, stored)
    for (const id of stored) if (next !== undefined && id < next) stored.delete(id)
    return { next, kept }
  }
}

function byConversation(updates: readonly ReadUpdate[]): readonly (readonly ReadUpdate[])[] {
  return [...Map.groupBy(updates, placeOf).values()]
}

/** A part of an album is looked at after those before it, by which it may be for us. */
function placeOf(update: ReadUpdate): string {
  if (update.kind === 'incoming') return update.incoming.place
  return update.kind === 'ignored' ? (update.ifAlbum?.incoming.place ?? '') : ''
}

async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** The first that is not stored, or the one after the last. */
function firstToCome(
  updates: readonly ReadUpdate[],
  stored: ReadonlySet<number>,
): number | undefined {
  const ids = updates.flatMap(({ updateId }) => updateId ?? [])
  if (ids.length === 0) return undefined
  const missing = ids.filter((id) => !stored.has(id))
  return missing.length > 0 ? Math.min(...missing) : Math.max(...ids) + 1
}
