import { compactResult, findCompactable, findMeasuredPrompt } from '../../db/compaction.ts'
import { insertOverflow } from '../../db/overflow.ts'
import type { Db, TurnRow } from '../../db/schema.ts'
import type { Model, ModelRequest } from '../../ports/model.ts'
import { newId } from '../../util/new-id.ts'
import { readTranscript } from '../session/read-transcript.ts'
import type { TurnKernel } from './turn-kernel.ts'

export type Prompt = Omit<ModelRequest, 'signal' | 'onText'>

/** A prompt and how many bytes of text it holds; or how many tokens too many it would have. */
export type Fitted =
  | { readonly kind: 'fits'; readonly prompt: Prompt; readonly bytes: number }
  | { readonly kind: 'full'; readonly tokens: number; readonly budget: number }

/** Above it older results are compacted, down to the second: rarely, as the prompt's beginning changes by it (MODEL-01). */
const fullAt = 0.8
const compactedTo = 0.5
/** Before the provider has told of one prompt: what English and code come to, and on the safe side. */
const bytesPerToken = 3
/** No tokenizer packs more into one on average: who reports that counts something else. */
const mostBytesPerToken = 8

/**
 * LOOP-12: a prompt within 80 % of the context budget. Older tool results become one line each, for good, by which the model
 * reads them back; where that is not enough, nothing is asked. Without a budget and a known window, every prompt fits.
 */
export async function fitContext(
  kernel: TurnKernel,
  db: Db,
  turn: TurnRow,
  model: Model,
  prompt: Prompt,
): Promise<Fitted> {
  const bytes = bytesOf(prompt)
  const budget = kernel.settings.contextBudgetTokens ?? model.contextTokens
  if (budget === undefined) return { kind: 'fits', prompt, bytes }
  const perToken = await bytesPerTokenOf(db, turn, model)
  if (bytes / perToken <= fullAt * budget) return { kind: 'fits', prompt, bytes }
  await compactUntil(db, turn, bytes - compactedTo * budget * perToken)
  const smaller = { ...prompt, messages: await readTranscript(db, turn.session_id) }
  const left = bytesOf(smaller)
  if (left / perToken <= fullAt * budget) return { kind: 'fits', prompt: smaller, bytes: left }
  return { kind: 'full', tokens: Math.round(left / perToken), budget }
}

/** Of all that is read: JSON, as its marks are tokens too. */
function bytesOf({ system, tools, messages }: Prompt): number {
  const shown = messages.map((message) => (message.role === 'assistant' ? told(message) : message))
  return Buffer.byteLength(JSON.stringify([system, tools, shown]))
}

function told({ role, text, calls }: Extract<Prompt['messages'][number], { role: 'assistant' }>) {
  return { role, text, calls }
}

async function bytesPerTokenOf(db: Db, turn: TurnRow, model: Model): Promise<number> {
  const measured = await findMeasuredPrompt(db, turn.session_id, model.name)
  if (measured === undefined) return bytesPerToken
  return Math.min(Math.max(measured.bytes / measured.tokens, 1), mostBytesPerToken)
}

const longestLine = 400

/** Oldest first, until so many bytes are gone or none is left. */
async function compactUntil(db: Db, turn: TurnRow, bytes: number): Promise<void> {
  let left = bytes
  for (const { id, tool, result } of await findCompactable(db, turn, longestLine)) {
    if (left <= 0) return
    const reference = newId()
    const entry = { id: reference, sessionId: turn.session_id, callId: id, content: result }
    await insertOverflow(db, { ...entry, kind: 'compacted' })
    const line = lineFor(tool, result, reference)
    await compactResult(db, id, line)
    left -= Buffer.byteLength(result) - line.length
  }
}

function lineFor(tool: string, result: string, reference: string): string {
  const lines = result.split('\n').length
  const size = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${result.length} characters`
  return `[this result of ${tool.slice(0, 64)} (${size}) was left out to make room; read_overflow gives it back: overflow:${reference}]`
}
