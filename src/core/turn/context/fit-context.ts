import type { Db, TurnRow } from '../../../db/schema.ts'
import { leaveOut, shortenMessage } from '../../../db/turn/compaction.ts'
import { findSummary } from '../../../db/turn/transcript-summaries.ts'
import type { Model } from '../../../ports/model.ts'
import { shortenedMessage } from '../../session/left-out-words.ts'
import { readEntries, readTranscript } from '../../session/read-transcript.ts'
import type { TranscriptEntry } from '../../session/transcript-entry.ts'
import type { TurnTransaction } from '../../transaction.ts'
import type { TurnContext } from '../turn-context.ts'
import { compactSeenArguments, compactSeenResults, compactUnseenResults } from './compact-calls.ts'
import { bytesOf, bytesOfMessages, findRoom, type Prompt, type Room } from './prompt-size.ts'
import { planSummary, type SummaryPlan } from './summary-plan.ts'

const longMessage = 1_500

/** Steps of the present turn that stay, so that the model knows what it is doing. */
const keptSteps = 3

/** A prompt with room for it; a summary to be made first; or how many tokens the prompt has that nothing can make fit. */
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
 * LOOP-12: a prompt within 80 % of the context budget. Over it, room is made down to 50 %, each for good: older tool results and
 * then long arguments become a line, then the oldest turns become a summary. Where the last turns alone are too much, their long
 * messages are shortened, older steps left out, and new results become a line. Without a budget and a known window every prompt
 * fits, until the server refuses one.
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

/** The last turns alone are too much. */
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

/** LOOP-12: long messages of earlier turns keep their beginning alone, oldest first, until so many bytes are gone. Answers how many are. */
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

/** LOOP-12: older steps with tools are left out with their results, oldest first, until so many bytes are gone. Answers how many are. */
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
