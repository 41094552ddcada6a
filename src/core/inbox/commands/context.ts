import type { TranscriptSummaryRow } from '../../../db/schema.ts'
import { type ContextView, findLastPrompt, readContextView } from '../../../db/turn/context-view.ts'
import { findLastTurn } from '../../../db/turn/retries.ts'
import { findSummary } from '../../../db/turn/summaries.ts'
import { shownTools } from '../../call/gate/load-facts.ts'
import { type CommandTransaction, reply } from './command.ts'

/** CHAT-09, LOOP-12: shows the model's current view of the conversation and what was left out to make room. */
export async function context(tx: CommandTransaction): Promise<void> {
  const { db, session } = tx
  const summary = await findSummary(db, session.id)
  const view = await readContextView(db, session.id, summary?.to_position ?? 0)
  const lines = [
    await promptLine(tx),
    ...(summary === undefined ? [] : [summaryLine(summary)]),
    `In full: ${count(view.turns, 'turn')}, ${count(view.messages, 'message')}${view.files === 0 ? '' : `; ${count(view.files, 'uploaded file')} in this session`}`,
    ...leftOutLines(view),
    ...(await toolLines(tx)),
  ]
  await reply(tx, lines.join('\n'))
}

async function promptLine(tx: CommandTransaction): Promise<string> {
  const { db, session } = tx

  const last = await findLastPrompt(db, session.id)
  if (last === undefined) return 'Prompt: the model has not been asked yet'
  const { model, prompt_bytes: bytes, input_tokens: tokens, budget_tokens: budget } = last
  const size =
    tokens === null || tokens === 0 ? `${number(bytes ?? 0)} bytes` : `${number(tokens)} tokens`
  const room =
    budget === null
      ? 'how much the model takes in is not known'
      : `room is made above ${number(Math.floor(budget * 0.8))} of ${number(budget)} tokens`
  return `Prompt: ${size} at the last step, to ${model}; ${room}`
}

function summaryLine({
  turns,
  messages,
  summary,
  is_dropped: isDropped,
}: TranscriptSummaryRow): string {
  const of = `of the ${turns} oldest turns (${count(messages, 'message')})`
  if (summary === null) return `Left out: ${of.slice('of '.length)}; no summary could be made`
  const last = isDropped ? '; of the last of them none could be made' : ''
  return `Summary: ${of}, ${number(summary.length)} characters${last}`
}

function leftOutLines(view: ContextView): readonly string[] {
  const parts = [
    part(view.compactedResults, 'tool result'),
    part(view.compactedArguments, 'list of arguments', 'lists of arguments'),
    part(view.shortenedMessages, 'long message'),
    part(view.leftOutSteps, 'step'),
  ].flat()
  if (parts.length === 0) return []
  return [`Shortened to make room: ${parts.join(', ')}; the model can read them back`]
}

function part(amount: number, noun: string, plural?: string): readonly string[] {
  return amount === 0 ? [] : [count(amount, noun, plural)]
}

async function toolLines(tx: CommandTransaction): Promise<readonly string[]> {
  const { db, session, ctx } = tx

  if (!ctx.settings.toolsEnabled) return ['Tools: none']
  const turn = await findLastTurn(db, session.id)
  const shown = turn === undefined ? 'all' : shownTools(turn)
  return shown === 'all' ? [] : [`Tools: ${shown.size} chosen for the last turn`]
}

function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${number(amount)} ${amount === 1 ? noun : plural}`
}

function number(amount: number): string {
  return amount.toLocaleString('en-US')
}
