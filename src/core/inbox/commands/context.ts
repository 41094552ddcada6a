import type { TranscriptSummaryRow } from '../../../db/schema.ts'
import { type ContextView, findLastPrompt, readContextView } from '../../../db/turn/context-view.ts'
import { findLastTurn } from '../../../db/turn/retries.ts'
import { findSummary } from '../../../db/turn/summaries.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { shownTools } from '../../call/gate/call-context.ts'
import { type CommandTransaction, reply } from './command.ts'

/** CHAT-09, LOOP-12: shows the model's current view of the conversation and what was left out to make room. */
export async function context(tx: CommandTransaction): Promise<void> {
  const { ctx, db, session } = tx
  const summary = await findSummary(db, session.id)
  const view = await readContextView(db, session.id, summary?.to_position ?? 0)
  const lines = [
    await promptLine(tx),
    ...(summary === undefined ? [] : [summaryLine(ctx.messages, summary)]),
    inFull(ctx.messages, view),
    ...leftOutLines(ctx.messages, view),
    ...(await toolLines(tx)),
  ]
  await reply(tx, lines.join('\n'))
}

async function promptLine(tx: CommandTransaction): Promise<string> {
  const { ctx, db, session } = tx
  const messages = ctx.messages.status
  const last = await findLastPrompt(db, session.id)
  if (last === undefined) return messages.notAsked
  const { model, prompt_bytes: bytes, input_tokens: tokens, budget_tokens: budget } = last
  const size =
    tokens === null || tokens === 0
      ? messages.bytes({ count: bytes ?? 0 })
      : messages.tokenCount({ count: tokens })
  const room =
    budget === null
      ? messages.roomUnknown
      : messages.room({ from: Math.floor(budget * 0.8), budget })
  return messages.prompt({ size, model, room })
}

function inFull({ status }: Messages, { turns, messages, files }: ContextView): string {
  return [
    status.inFull({ turns, messages }),
    ...(files === 0 ? [] : [status.uploadedFiles({ count: files })]),
  ].join('; ')
}

function summaryLine(
  { status }: Messages,
  { turns, messages, summary, is_dropped: isDropped }: TranscriptSummaryRow,
): string {
  if (summary === null) return status.leftOut({ turns, messages })
  return [
    status.summary({ turns, messages, characters: summary.length }),
    ...(isDropped ? [status.lastWithoutSummary] : []),
  ].join('; ')
}

function leftOutLines({ status, format }: Messages, view: ContextView): readonly string[] {
  const amounts = [
    { kind: 'results', count: view.compactedResults },
    { kind: 'arguments', count: view.compactedArguments },
    { kind: 'messages', count: view.shortenedMessages },
    { kind: 'steps', count: view.leftOutSteps },
  ] as const
  const parts = amounts.filter(({ count }) => count > 0).map(status.shortenedParts)
  return parts.length === 0 ? [] : [status.shortened({ parts: format.all(parts) })]
}

async function toolLines(tx: CommandTransaction): Promise<readonly string[]> {
  const { db, session, ctx } = tx

  if (!ctx.settings.toolsEnabled) return [ctx.messages.status.noTools]
  const turn = await findLastTurn(db, session.id)
  const shown = turn === undefined ? 'all' : shownTools(turn)
  return shown === 'all' ? [] : [ctx.messages.status.tools({ count: shown.size })]
}
