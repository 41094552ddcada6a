import { findBatch } from '../../../db/call/tool-calls.ts'
import type { Db, ToolCallRow, TurnRow } from '../../../db/schema.ts'
import { insertAssistantMessage } from '../../../db/turn/messages.ts'
import { endWithAnswer } from '../../../db/turn/turn-steps.ts'
import { updateLeasedTurn } from '../../../db/turn/turns.ts'
import { endUsage } from '../../../db/turn/usage.ts'
import type { ToolRequest, TranscriptMessage } from '../../../domain/message.ts'
import type { Outgoing } from '../../../ports/chat.ts'
import type { ModelAnswer } from '../../../ports/model.ts'
import { thinksFirst, withoutThinking } from '../../../rules/tools/shown/shown-schema.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { requestApprovals } from '../../approval/request-approvals.ts'
import type { Ask } from '../../call/ask-again.ts'
import { createBatch } from '../../call/create-batch.ts'
import { evaluateToolCall } from '../../call/gate/judge-call.ts'
import { type LoadedFacts, loadFacts } from '../../call/gate/load-facts.ts'
import { tellNext } from '../../session/start-turn.ts'
import { readVerdict } from '../../stored.ts'
import { type TurnTransaction, transact } from '../../transaction.ts'
import { continueTurn, sendReady } from '../act.ts'
import type { Prepared } from '../prepare-step.ts'
import type { TurnContext } from '../turn-context.ts'
import { emitTurnEnded, lockTurn, postRemark, type Stepped } from '../turn-state.ts'
import { costOf, toModelEvent } from './model-events.ts'

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
  return transact(ctx, async (tx): Promise<Stepped> => {
    const locked = await lockTurn(tx, prepared.turn)
    const calls = prepared.atCap ? [] : answer.calls.map((call) => forgetThoughts(ctx, call))
    if (calls.length === 0) return finish(locked, { prepared, answer, ms })
    const own = await beginActing(tx.db, locked.turn)
    const outcome = own === undefined ? 'superseded' : 'done'
    const cost = costOf(ctx, prepared.model.name, answer.usage)
    await endUsage(tx.db, prepared.usageId, outcome, answer.usage, cost)
    tx.effects.emit(toModelEvent(prepared, { outcome, ms, usage: answer.usage, cost }))
    if (own === undefined) return { kind: 'over' }
    const body = messageOf(answer, calls)
    const messageId = await insertAssistantMessage(tx.db, own, prepared.model.name, body)
    const current = { ...locked, turn: own }
    const said = { text: answer.spoken ?? answer.text, calls }
    return beginBatch(current, messageId, said)
  })
}

/** SCH-01: removes the model's reasoning from a complex tool's arguments before anybody sees it. */
function forgetThoughts({ tools, settings }: TurnContext, call: ToolRequest): ToolRequest {
  const spec = tools.find(({ name }) => name === call.tool)
  if (spec === undefined || !thinksFirst(spec, settings.toolView?.thinkingFrom)) return call
  return { ...call, arguments: withoutThinking(call.arguments) }
}

function beginActing(db: Db, { id, epoch }: TurnRow): Promise<TurnRow | undefined> {
  const progress = { crashes: 0, model_failures: 0, model_failing_since: null }
  return updateLeasedTurn(db, id, epoch, { state: 'acting', ...progress })
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
  const current = isRefused ? await findBatch(tx.db, tx.turn.id, tx.turn.step) : rows
  return continueTurn(tx, await sendReady(tx, current, facts))
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

interface Finished {
  readonly prepared: Prepared
  readonly answer: ModelAnswer
  readonly ms: number
}

async function finish(
  tx: TurnTransaction<TurnContext>,
  { prepared, answer, ms }: Finished,
): Promise<Stepped> {
  const { ctx, db, effects, conversation, session } = tx
  const { usage } = answer
  const cost = costOf(ctx, prepared.model.name, usage)
  const ended = await endWithAnswer(db, tx.turn, {
    usageId: prepared.usageId,
    usage,
    costUsd: cost,
    author: prepared.model.name,
    body: messageOf(answer, []),
    conversationId: conversation.id,
    outgoing: outgoingOf(prepared, answer.text, ctx.settings.maxToolIterations),
  })
  const outcome = ended === undefined ? 'superseded' : 'done'
  effects.emit(toModelEvent(prepared, { outcome, ms, usage, cost }))
  if (ended === undefined) return { kind: 'over' }
  effects.deliver(conversation.id)
  emitTurnEnded(effects, ended.turn)
  if (ended.nextId !== undefined) tellNext(effects, session, ended.nextId)
  return { kind: 'over' }
}

function outgoingOf({ turn, atCap }: Prepared, text: string, limit: number): readonly string[] {
  const notice = `The limit of ${limit} steps with tools was reached.`
  const all = [...(atCap ? [{ kind: 'notice', text: notice } as const] : []), answerOf(turn, text)]
  return all.map((message: Outgoing) => toStorable(JSON.stringify(message)))
}

/** LOOP-04: exactly one final answer, even if the model returned none. */
function answerOf(turn: TurnRow, text: string) {
  const markdown = text.trim() === '' ? '(The model gave no answer.)' : text
  return { kind: 'answer', markdown, turnId: turn.id } as const
}
