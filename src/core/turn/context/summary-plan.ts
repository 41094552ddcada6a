import type { TranscriptSummaryRow } from '../../../db/schema.ts'
import { drawSummaryText } from '../../call/output/draw-transcript.ts'
import type { TranscriptEntry } from '../../session/read-transcript.ts'
import { readTexts } from '../../stored.ts'
import { bytesOfMessages, type Room } from './prompt-size.ts'

/** Number of latest turns never summarised (LOOP-12), including the current one. */
const keptTurns = 5

/** Oldest turns of a session to summarise, together with those already summarised. */
export interface SummaryPlan {
  readonly from: number
  /** Position of the first message that stays. */
  readonly to: number
  /** Text and id of the earlier summary. */
  readonly before: string | undefined
  readonly beforeId: string | undefined
  /** Message ids of these turns. */
  readonly ids: readonly string[]
  /** Rendered turns for the model. */
  readonly text: string
  /** Counted since the session began. */
  readonly turns: number
  readonly messages: number
  readonly authors: readonly string[]
  /** Maximum UTF-16 units of the summary. */
  readonly mostUnits: number
  /** Whether the turns are long enough for the summary to free room for a while. */
  readonly isWorthIt: boolean
}

interface Present {
  readonly summary: TranscriptSummaryRow | undefined
  /** The whole current transcript. */
  readonly entries: readonly TranscriptEntry[]
  readonly room: Room
  /** Bytes by which the prompt exceeds its target size. */
  readonly tooMany: number
}

/**
 * LOOP-12: plans which of the oldest turns to summarise: as many as needed, as far as one prompt holds them, never the last five.
 * Takes whole turns, so that each call stays with its result (LOOP-06). undefined: there are none.
 */
export function planSummary({ summary, entries, room, tooMany }: Present): SummaryPlan | undefined {
  const turns = [...Map.groupBy(entries, ({ turnId }) => turnId).values()]
  const old = turns.slice(0, -keptTurns)
  const mostUnits = summaryUnits(room)
  const taken = take(old, tooMany + mostUnits, room.targetBytes)
  const first = taken[0]?.[0]
  const next = turns[taken.length]?.[0]
  if (first === undefined || next === undefined) return undefined
  const covered = taken.flat()
  return {
    from: first.position,
    to: next.position,
    before: summary?.summary ?? undefined,
    beforeId: summary?.id,
    ids: covered.map(({ id }) => id),
    text: drawSummaryText(covered, room.targetBytes),
    turns: (summary?.turns ?? 0) + taken.length,
    messages: (summary?.messages ?? 0) + covered.length,
    authors: [...new Set([...authorsBefore(summary), ...covered.flatMap(authorsOf)])],
    mostUnits,
    isWorthIt: sizeOf(covered) >= leastShare * room.targetBytes,
  }
}

/** Share of the target size; less is summarised only if nothing else helps. */
const leastShare = 0.1

/** Limits a summary to a tenth of the room, in UTF-16 units, which are at least as many bytes. */
function summaryUnits({ targetBytes }: Room): number {
  return Math.round(Math.min(Math.max(targetBytes / 10, 800), 12_000))
}

/** Takes the oldest turns, at least one, until `enough` bytes are covered, at most what one prompt holds. */
function take(
  turns: readonly (readonly TranscriptEntry[])[],
  enough: number,
  most: number,
): readonly (readonly TranscriptEntry[])[] {
  let bytes = 0
  let count = 0
  for (const turn of turns) {
    const size = sizeOf(turn)
    if (bytes >= enough || (count > 0 && bytes + size > most)) break
    bytes += size
    count++
  }
  return turns.slice(0, count)
}

function sizeOf(entries: readonly TranscriptEntry[]): number {
  return entries.reduce(
    (sum, entry) => sum + (entry.isLeftOut ? 0 : bytesOfMessages(entry.messages)),
    0,
  )
}

function authorsBefore(summary: TranscriptSummaryRow | undefined): readonly string[] {
  return summary === undefined ? [] : readTexts(summary.authors)
}

function authorsOf({ messages }: TranscriptEntry): readonly string[] {
  return messages.flatMap((message) => (message.role === 'user' ? [message.author] : []))
}
