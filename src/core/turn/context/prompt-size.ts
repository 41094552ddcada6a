import type { Db, TurnRow } from '../../../db/schema.ts'
import { findBytesPerToken } from '../../../db/turn/compaction.ts'
import type { TranscriptMessage } from '../../../domain/message.ts'
import type { Model, ModelRequest } from '../../../ports/model.ts'

export type Prompt = Omit<ModelRequest, 'signal' | 'onText'>

/** Size limits of a prompt, in bytes. */
export interface Room {
  /** Size above which room is freed. */
  readonly fullBytes: number
  /** Size after freeing room, low enough that it happens seldom (MODEL-01). */
  readonly targetBytes: number
  readonly bytesPerToken: number
  /** Tokens of which `fullBytes` are 80 %. */
  readonly budget: number
}

const fullAt = 0.8
const compactedTo = 0.5
/** Minimum share of the room left by instructions and tools, if those exceed half of the budget. */
const leastShare = 1 / 3
/** Assumed until the provider has counted one prompt: conservative for English and code. */
const usualBytesPerToken = 3
/** Upper limit: no tokenizer averages more, so a higher measurement counts something else. */
const mostBytesPerToken = 8

interface Known {
  readonly budgetTokens: number | undefined
  /** Of instructions and tools. */
  readonly baseBytes: number
  /** Of the smallest prompt that the model refused as too long. */
  readonly refusedBytes: number | undefined
}

/** LOOP-12: computes the room for a session's prompts; undefined: neither a budget nor the model's window is known. */
export async function findRoom(
  db: Db,
  turn: TurnRow,
  model: Model,
  { budgetTokens, baseBytes, refusedBytes: refused }: Known,
): Promise<Room | undefined> {
  const told = budgetTokens ?? model.contextTokens
  if (told === undefined && refused === undefined) return undefined
  const measured = await findBytesPerToken(db, turn.session_id, model.name)
  const bytesPerToken = Math.min(Math.max(measured ?? usualBytesPerToken, 1), mostBytesPerToken)
  const most = Math.min((told ?? Infinity) * bytesPerToken, refused ?? Infinity)
  const fullBytes = fullAt * most
  return {
    fullBytes,
    targetBytes: Math.max(compactedTo * most, baseBytes + (fullBytes - baseBytes) * leastShare),
    bytesPerToken,
    budget: Math.round(most / bytesPerToken),
  }
}

/** Counts a prompt's UTF-8 bytes as JSON, since its punctuation is tokens too. */
export function bytesOf({ system, tools, messages }: Prompt): number {
  return Buffer.byteLength(JSON.stringify([system, tools, messages.map(asRead)]))
}

/** Counts the bytes of a part of the transcript. */
export function bytesOfMessages(messages: readonly TranscriptMessage[]): number {
  return messages.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(asRead(one))), 0)
}

/** Removes fields that are not sent or not read by the model. */
function asRead(message: TranscriptMessage) {
  if (message.role !== 'assistant') return message
  const { role, text, calls } = message
  return { role, text, calls }
}
