import { insertOverflow } from '../../../db/call/overflow.ts'
import type { Db, TurnRow } from '../../../db/schema.ts'
import {
  type CompactableText,
  compactArguments,
  compactResult,
  findSeenArguments,
  findSeenResults,
  findUnseenResults,
} from '../../../db/turn/compaction.ts'
import { isRecord } from '../../../util/is-record.ts'
import { newId } from '../../../util/new-id.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'

const longestValue = 200

const longestWhole = 1_000

const longestLine = 400

/** LOOP-12: results that the model has seen become one line each, oldest first, until so many bytes are gone. Answers how many are. */
export async function compactSeenResults(db: Db, turn: TurnRow, bytes: number): Promise<number> {
  return compactResults(db, turn, bytes, await findSeenResults(db, turn, longestLine))
}

/** The same for those that it is about to see, longest first: a batch that is larger than the window must not end the turn. */
export async function compactUnseenResults(db: Db, turn: TurnRow, bytes: number): Promise<number> {
  return compactResults(db, turn, bytes, await findUnseenResults(db, turn, longestLine))
}

async function compactResults(
  db: Db,
  turn: TurnRow,
  bytes: number,
  results: readonly CompactableText[],
): Promise<number> {
  return eachUntil(results, bytes, async ({ id, tool, text }) => {
    const line = lineFor(tool, text, await keep(db, turn, id, text))
    await compactResult(db, id, line)
    return Buffer.byteLength(text) - line.length
  })
}

/** Long arguments of calls whose results the model has seen keep their short values alone. */
export async function compactSeenArguments(db: Db, turn: TurnRow, bytes: number): Promise<number> {
  return eachUntil(await findSeenArguments(db, turn, longestLine), bytes, async ({ id, text }) => {
    const reference = await keep(db, turn, id, text)
    const shorter = shorterArguments(text, reference)
    await compactArguments(db, id, shorter)
    return Buffer.byteLength(text) - Buffer.byteLength(shorter)
  })
}

async function eachUntil<T>(
  items: readonly T[],
  bytes: number,
  compact: (item: T) => Promise<number>,
): Promise<number> {
  let gone = 0
  for (const item of items) {
    if (gone >= bytes) break
    gone += await compact(item)
  }
  return gone
}

/** Keeps a text for read_overflow; answers by which reference. */
async function keep(db: Db, turn: TurnRow, callId: string, content: string): Promise<string> {
  const id = newId()
  await insertOverflow(db, { id, sessionId: turn.session_id, callId, content, kind: 'compacted' })
  return id
}

function lineFor(tool: string, result: string, reference: string): string {
  const lines = result.split('\n').length
  const size = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${result.length} characters`
  return `[this result of ${tool.slice(0, 64)} (${size}) was left out to make room; read_overflow gives it back, best a few lines at a time: overflow:${reference}]`
}

/**
 * LOOP-12: arguments of a call, JSON as the model wrote it, with a line in the place of each long text, and how all of them are
 * read back. What is no object, or stays long, is left out as a whole. Answers a JSON object.
 */
function shorterArguments(text: string, reference: string): string {
  const value = tryParseJson(text)
  const all = `read_overflow gives the arguments back: overflow:${reference}`
  if (isRecord(value)) {
    const shorter = JSON.stringify({ ...shorten(value), left_out: all })
    if (shorter.length <= longestWhole) return shorter
  }
  return JSON.stringify({
    left_out: `${text.length} characters were left out to make room; ${all}`,
  })
}

function shorten(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]))
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length <= longestValue ? value : `[${value.length} characters were left out]`
  }
  if (Array.isArray(value)) return value.map(shortened)
  return isRecord(value) ? shorten(value) : value
}
