import { insertOverflow } from '../../../db/call/overflow.ts'
import type { Db, TurnRow } from '../../../db/schema.ts'
import {
  type CompactableText,
  compactArguments,
  compactResult,
  findSeenArguments,
  findSeenResults,
  findUnseenResults,
  leaveOut,
  shortenMessage,
} from '../../../db/turn/compaction.ts'
import { findSummary } from '../../../db/turn/summaries.ts'
import type { Model } from '../../../ports/model.ts'
import { isRecord } from '../../../util/guards.ts'
import { newId } from '../../../util/ids.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import {
  readEntries,
  readTranscript,
  shortenedMessage,
  type TranscriptEntry,
} from '../../session/read-transcript.ts'
import type { TurnTransaction } from '../../transaction.ts'
import type { TurnContext } from '../turn-context.ts'
import { bytesOf, bytesOfMessages, findRoom, type Prompt, type Room } from './prompt-size.ts'
import { planSummary, type SummaryPlan } from './summary-plan.ts'

const longestValue = 200

const longestWhole = 1_000

const longestLine = 400

const longMessage = 1_500

/** Latest steps of the current turn that are kept, so that the model knows what it is doing. */
const keptSteps = 3

/** Result of fitting: the prompt fits, a summary is needed first, or the token count of a prompt that cannot fit. */
export type Fitted =
  | {
      readonly kind: 'fits'
      readonly prompt: Prompt
      readonly bytes: number
      readonly budget: number | undefined
    }
  | { readonly kind: 'summarise'; readonly plan: SummaryPlan }
  | { readonly kind: 'full'; readonly tokens: number; readonly budget: number }

/**
 * LOOP-12: fits a prompt into 80 % of the context budget. Above it, frees room down to 50 %, permanently: older tool results and
 * then long arguments become a line, then the oldest turns a summary. If the last turns alone exceed it, shortens their long
 * messages, leaves out older steps and compacts new results. Without a budget and a known window every prompt fits until the
 * server refuses one.
 */
export async function fitContext(
  tx: TurnTransaction<TurnContext>,
  model: Model,
  prompt: Prompt,
  refusedBytes: number | undefined,
): Promise<Fitted> {
  const { turn } = tx
  const bytes = bytesOf(prompt)
  const baseBytes = bytesOf({ ...prompt, messages: [] })
  const budgetTokens = tx.ctx.settings.contextBudgetTokens
  const room = await findRoom(tx.db, turn, model, { budgetTokens, baseBytes, refusedBytes })
  if (room === undefined || bytes <= room.fullBytes) {
    return { kind: 'fits', prompt, bytes, budget: room?.budget }
  }
  return makeRoom({ db: tx.db, turn, prompt, room }, bytes)
}

interface Fitting {
  readonly db: Db
  readonly turn: TurnRow
  readonly prompt: Prompt
  readonly room: Room
}

async function makeRoom(fitting: Fitting, bytes: number): Promise<Fitted> {
  const { db, turn, room } = fitting
  const tooMany = bytes - room.targetBytes
  const gone = await compactSeenResults(db, turn, tooMany)
  await compactSeenArguments(db, turn, tooMany - gone)
  const smaller = await measure(fitting)
  if (smaller.bytes <= room.fullBytes) return smaller
  const summary = await findSummary(db, turn.session_id)
  const entries = await readEntries(db, turn.session_id, { from: summary?.to_position ?? 0 })
  const plan = planSummary({ summary, entries, room, tooMany: smaller.bytes - room.targetBytes })
  if (plan?.isWorthIt === true) return { kind: 'summarise', plan }
  const left = await makeLastRoom(fitting, smaller.bytes, entries)
  if (left.bytes <= room.fullBytes) return left
  if (plan !== undefined) return { kind: 'summarise', plan }
  return {
    kind: 'full',
    tokens: Math.round(left.bytes / room.bytesPerToken),
    budget: room.budget,
  }
}

/** Frees room if the last turns alone are too large. */
async function makeLastRoom(
  fitting: Fitting,
  bytes: number,
  entries: readonly TranscriptEntry[],
): Promise<Measured> {
  const { db, turn, room } = fitting
  const tooMany = bytes - room.targetBytes
  const gone = await shortenMessages(db, turn, entries, tooMany)
  if (bytes - gone > room.fullBytes) await leaveOutSteps(db, entries, tooMany - gone)
  const left = await measure(fitting)
  if (left.bytes <= room.fullBytes) return left
  await compactUnseenResults(db, turn, left.bytes - room.fullBytes)
  return measure(fitting)
}

type Measured = Extract<Fitted, { kind: 'fits' }>

async function measure({ db, turn, prompt, room }: Fitting): Promise<Measured> {
  const smaller = { ...prompt, messages: await readTranscript(db, turn.session_id) }
  return { kind: 'fits', prompt: smaller, bytes: bytesOf(smaller), budget: room.budget }
}

/** LOOP-12: shortens long messages of earlier turns, oldest first, until `bytes` are freed. Returns the bytes freed. */
async function shortenMessages(
  db: Db,
  turn: TurnRow,
  entries: readonly TranscriptEntry[],
  bytes: number,
): Promise<number> {
  let gone = 0
  for (const { id, turnId, isLeftOut, messages } of entries) {
    const [message] = messages
    if (gone >= bytes || isLeftOut || turnId === turn.id) continue
    if (message === undefined || message.role === 'tool' || message.text.length <= longMessage)
      continue
    const shorter = shortenedMessage(message.text, id)
    await shortenMessage(db, id, shorter)
    gone += Buffer.byteLength(message.text) - Buffer.byteLength(shorter)
  }
  return gone
}

/** LOOP-12: leaves out older tool steps with their results, oldest first, until `bytes` are freed. Returns the bytes freed. */
async function leaveOutSteps(
  db: Db,
  entries: readonly TranscriptEntry[],
  bytes: number,
): Promise<number> {
  const steps = entries.filter(({ messages: [message] }) => isStep(message))
  const older = steps.slice(0, -keptSteps).filter(({ isLeftOut }) => !isLeftOut)
  let gone = 0
  const left: string[] = []
  for (const { id, messages } of older) {
    if (gone >= bytes) break
    left.push(id)
    gone += bytesOfMessages(messages)
  }
  await leaveOut(db, left)
  return gone
}

function isStep(message: TranscriptEntry['messages'][number] | undefined): boolean {
  return message?.role === 'assistant' && message.calls.length > 0
}

/**
 * LOOP-12: replaces results the model has seen with one line each, oldest first, until `bytes` are freed. Returns the bytes
 * freed.
 */
async function compactSeenResults(db: Db, turn: TurnRow, bytes: number): Promise<number> {
  return compactResults(db, turn, bytes, await findSeenResults(db, turn, longestLine))
}

/** Compacts results the model is about to see, longest first: a batch larger than the window must not end the turn. */
async function compactUnseenResults(db: Db, turn: TurnRow, bytes: number): Promise<number> {
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

/** Shortens the long arguments of calls whose results the model has seen. */
async function compactSeenArguments(db: Db, turn: TurnRow, bytes: number): Promise<number> {
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

/** Stores a text for read_overflow and returns its reference. */
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
 * LOOP-12: replaces each long text in a call's arguments, JSON by the model, with a line, and adds how to read them back.
 * Arguments that are no object, or stay long, are replaced as a whole. Returns a JSON object.
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
