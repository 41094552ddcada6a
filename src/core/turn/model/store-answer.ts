import { findBatch } from '../../../db/call/tool-calls.ts'
import type { ToolCallRow, TurnRow } from '../../../db/schema.ts'
import { beginActing, type EndedTurn, endWithAnswer } from '../../../db/turn/turn-steps.ts'
import type { ToolRequest, TranscriptMessage, Usage } from '../../../domain/message.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import type { Outgoing } from '../../../ports/chat.ts'
import type { ModelAnswer } from '../../../ports/model.ts'
import { thinksFirst, withoutThinking } from '../../../rules/tools/shown/shown-schema.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { requestApprovals } from '../../approval/request-approvals.ts'
import type { Ask } from '../../call/ask-again.ts'
import { createBatch } from '../../call/create-batch.ts'
import { type LoadedFacts, loadFacts } from '../../call/gate/call-context.ts'
import { evaluateToolCall } from '../../call/gate/judge-call.ts'
import { readVerdict } from '../../stored.ts'
import { type Transaction, type TurnTransaction, transact } from '../../transaction.ts'
import { continueTurn, sendReady } from '../act.ts'
import type { Prepared } from '../prepare-step.ts'
import { tellNext } from '../start-turn.ts'
import {
  costOf,
  emitTurnEnded,
  lockTurn,
  postRemark,
  type Stepped,
  type TurnContext,
  toModelEvent,
} from '../turn-context.ts'

/**
 * Stores the model's answer in one transaction under our epoch; if the turn was lost or is over, the answer is dropped and only
 * its cost stored (INT-1, INT-31).
 */
export function storeAnswer(
  ctx: TurnContext,
  prepared: Prepared,
  answer: ModelAnswer,
  ms: number,
): Promise<Stepped> {
  const { usageId, model } = prepared
  const { usage } = answer
  const costUsd = costOf(ctx, model.name, usage)
  const used = { usageId, usage, costUsd, author: model.name }
  return transact(ctx, async (tx): Promise<Stepped> => {
    const calls = prepared.atCap ? [] : answer.calls.map((call) => forgetThoughts(ctx, call))
    const message = { ...used, body: messageOf(answer, calls) }
    if (calls.length === 0) {
      const locked = await lockTurn(tx, prepared.turn)
      const outgoing = outgoingOf(ctx, prepared, answer.text)
      const conversationId = locked.conversation.id
      const ended = await endWithAnswer(tx.db, locked.turn, {
        ...message,
        conversationId,
        outgoing,
      })
      emitAnswered(tx, prepared, { isOurs: ended !== undefined, ms, usage, cost: costUsd })
      return finish(locked, ended)
    }
    const own = await beginActing(tx.db, prepared.turn, message)
    emitAnswered(tx, prepared, { isOurs: own !== undefined, ms, usage, cost: costUsd })
    if (own === undefined) return { kind: 'over' }
    const { messageId, ...rows } = own
    const said = { text: answer.spoken ?? answer.text, calls }
    return beginBatch({ ...tx, ...rows }, messageId, said)
  })
}

function emitAnswered(
  { effects }: Transaction,
  prepared: Prepared,
  { isOurs, ...call }: { isOurs: boolean; ms: number; usage: Usage; cost: number | undefined },
): void {
  effects.emit(toModelEvent(prepared, { ...call, outcome: isOurs ? 'done' : 'superseded' }))
}

/** SCH-01: removes the model's reasoning from a complex tool's arguments before anybody sees it. */
function forgetThoughts({ tools, settings }: TurnContext, call: ToolRequest): ToolRequest {
  const spec = tools.find(({ name }) => name === call.tool)
  if (spec === undefined || !thinksFirst(spec, settings.toolView?.thinkingFrom)) return call
  return { ...call, arguments: withoutThinking(call.arguments) }
}

/** The model's message as it is stored in the transcript. */
function messageOf({ text, spoken, raw }: ModelAnswer, calls: readonly ToolRequest[]): string {
  const message: TranscriptMessage = {
    role: 'assistant',
    text,
    calls,
    ...(spoken === undefined ? {} : { spoken }),
    ...(raw === undefined ? {} : { raw }),
  }
  return toStorable(JSON.stringify(message))
}

async function beginBatch(
  tx: TurnTransaction<TurnContext>,
  messageId: string,
  answer: { readonly text: string; readonly calls: readonly ToolRequest[] },
): Promise<Stepped> {
  const facts = await loadFacts(tx.ctx, tx.db, tx.session, tx.turn)
  const judging = { ...tx, facts }
  const batch = { messageId, requests: answer.calls }
  const rows = await createBatch(judging, batch)
  const asks = rows.some((call) => call.state === 'awaiting_approval')
  if (asks) await postRemark(tx, answer.text)
  const isRefused = await requestApprovals(judging, asksOf(tx.ctx, facts, rows))
  if (!isRefused) return continueTurn(tx, await sendReady(tx, rows, { facts, isNew: true }))
  const current = await findBatch(tx.db, tx.turn.id, tx.turn.step)
  return continueTurn(tx, await sendReady(tx, current, { facts }))
}

function asksOf(ctx: TurnContext, facts: LoadedFacts, calls: readonly ToolCallRow[]): Ask[] {
  return calls.flatMap((call) => {
    if (call.state !== 'awaiting_approval') return []
    const judged = evaluateToolCall(ctx, facts, call)
    if (judged.kind === 'wrong') return []
    // Verdict from the batch: a grant may have sufficed for only one of the calls.
    const verdict = readVerdict(call)
    return [{ call, verdict, args: judged.args }]
  })
}

function finish(tx: TurnTransaction, ended: EndedTurn | undefined): Stepped {
  if (ended === undefined) return { kind: 'over' }
  const { effects, conversation, session } = tx
  effects.deliver(conversation.id)
  emitTurnEnded(effects, ended.turn)
  if (ended.nextId !== undefined) tellNext(effects, session, ended.nextId)
  return { kind: 'over' }
}

function outgoingOf(
  { messages, settings }: TurnContext,
  { turn, atCap }: Prepared,
  text: string,
): readonly string[] {
  const notice = messages.turns.stepLimit({ limit: settings.maxToolIterations })
  const all = [
    ...(atCap ? [{ kind: 'notice', text: notice } as const] : []),
    answerOf(messages, turn, text),
  ]
  return all.map((message: Outgoing) => toStorable(JSON.stringify(message)))
}

/** LOOP-04: exactly one final answer, even if the model returned none. */
function answerOf({ turns }: Messages, turn: TurnRow, text: string) {
  const markdown = text.trim() === '' ? turns.noAnswer : text
  return { kind: 'answer', markdown, turnId: turn.id } as const
}
