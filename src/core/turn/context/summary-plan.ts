import type { TranscriptSummaryRow } from '../../../db/schema.ts'
import { drawSummaryText } from '../../call/output/draw-transcript.ts'
import type { TranscriptEntry } from '../../session/transcript-entry.ts'
import { readTexts } from '../../stored.ts'
import { bytesOfMessages, type Room } from './prompt-size.ts'

/** Turns that are never summed up (LOOP-12), the present one included. */
const keptTurns = 5

/** The oldest turns of a session that a summary is to stand for, together with those that one stands for already. */
export interface SummaryPlan {
  readonly from: number
  /** The position of the first message that stays. */
  readonly to: number
  /** The words of the summary so far, and its id. */
  readonly before: string | undefined
  readonly beforeId: string | undefined
  /** Ids of the messages of these turns. */
  readonly ids: readonly string[]
  /** The turns, in words for the model that sums them up. */
  readonly text: string
  /** Since the session began. */
  readonly turns: number
  readonly messages: number
  readonly authors: readonly string[]
  /** UTF-16 units of the longest summary. */
  readonly mostUnits: number
  /** Of so much text that asking a model for it gains room for some time. */
  readonly isWorthIt: boolean
}

interface Present {
  readonly summary: TranscriptSummaryRow | undefined
  /** All that is in the transcript now. */
  readonly entries: readonly TranscriptEntry[]
  readonly room: Room
  /** Bytes by which the prompt is larger than it should become. */
  readonly tooMany: number
}

/**
 * LOOP-12: which of the oldest turns make room when a summary stands for them: as many as are needed, as far as one prompt holds
 * them, and never the last five. Turns are taken whole, so that each call stays with its result (LOOP-06). undefined: there are none.
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

/** Of the room aimed at; what is less is summed up only where nothing else helps. */
const leastShare = 0.1

/** A summary is no longer than a tenth of the room, in UTF-16 units, which are at least as many bytes. */
function summaryUnits({ targetBytes }: Room): number {
  return Math.round(Math.min(Math.max(targetBytes / 10, 800), 12_000))
}

/** From the oldest on, at least one, until so many bytes are gone; no more than one question to a model holds. */
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
