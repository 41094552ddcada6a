import { insertCalls, type NewToolCall } from '../../db/call/tool-calls.ts'
import type { ToolCallRow } from '../../db/schema.ts'
import { refundCalls, takeCalls } from '../../db/turn/sessions.ts'
import type { ToolRequest } from '../../domain/message.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { formatToolError, type ToolError } from '../../domain/tool/tool-error.ts'
import { sha256 } from '../../util/digest.ts'
import { newId } from '../../util/ids.ts'
import { toStorable } from '../../util/text/storable.ts'
import { notice, type Transaction, type TurnRows, type TurnTransaction } from '../transaction.ts'
import { emitFirstVerdict, recordDecided, recordSettled } from './audit-call.ts'
import { describeExceeded, holdBudgets, withoutRoom } from './budgets.ts'
import type { CallContext, GateTransaction } from './gate/call-context.ts'
import {
  type CallEvaluation,
  denialOf,
  evaluateToolCall,
  openUses,
  refusalVerdict,
  storedVerdict,
} from './gate/judge-call.ts'
import { reformatHints } from './result/reformat-hint.ts'

const moreByBudget = 'they can have more tomorrow (UTC), or an operator lifts the budget'

const moreByQuota = 'their /clear starts over and resets the quota'

/** Maximum calls of one message that run; people could not review more. */
const maxCalls = 64

/**
 * Inserts and evaluates the calls of one model message. The quota is reserved for the whole batch or not at all (LOOP-13,
 * INT-22); invalid and denied calls are settled at once, the rest wait for approval or dispatch.
 */
export async function createBatch(
  tx: GateTransaction,
  batch: { readonly messageId: string | null; readonly requests: readonly ToolRequest[] },
): Promise<ToolCallRow[]> {
  const count = batch.requests.length
  const { first, quota } = await reserve(tx, count)
  const uses = await openUses(tx.db, tx.session.id, tx.facts)
  const asked = batch.requests.map((request, ordinal): EvaluatedRequest => {
    const call = { ...request, message_id: batch.messageId, in_text: request.inText === true }
    const judged =
      refusalOf(request, ordinal, quota) ?? evaluateToolCall(tx.ctx, uses.leftOf(tx.facts), call)
    if (judged.kind === 'judged') uses.reserve(judged.verdict)
    return { request, tool: storedName(request.tool), judged }
  })
  const hints = batch.messageId === null ? [] : await hintsOf(tx, asked)
  const drafts = asked.map((call, ordinal) =>
    draft(tx, call, {
      messageId: batch.messageId,
      ordinal,
      number: first + ordinal,
      hint: hints[ordinal],
    }),
  )
  const rows = await insertCalls(tx.db, drafts)
  if (quota.kind === 'fits') await refundSettled(tx, rows)
  else await notice(tx, tx.conversation.id, quota.words, tx.turn.caller_id)
  for (const row of rows) {
    emitFirstVerdict(tx.effects, row)
    await recordWhenSettled(tx, row, tx.turn.caller_id)
  }
  return rows
}

/** Call of the batch with its evaluation. */
interface EvaluatedRequest {
  readonly request: ToolRequest
  /** Tool name as stored. */
  readonly tool: string
  readonly judged: CallEvaluation
}

/** Sanitises the name: a model may call any name. */
function storedName(tool: string): string {
  return toStorable(tool).slice(0, 200)
}

function hintsOf(tx: GateTransaction, asked: readonly EvaluatedRequest[]) {
  const { turn } = tx

  const failed = asked.map(({ tool, judged }) => ({
    tool,
    error: judged.kind === 'wrong' ? judged.error : undefined,
  }))
  return reformatHints({ ctx: tx.ctx, db: tx.db, turnId: turn.id, tools: tx.facts.tools }, failed)
}

/** Refunds denied and invalid calls, which never run; calls beyond `maxCalls` took no quota. */
async function refundSettled(tx: TurnTransaction, rows: readonly ToolCallRow[]): Promise<void> {
  const settled = rows.slice(0, maxCalls).filter((row) => row.settled_at !== null).length
  if (settled > 0) await refundCalls(tx.db, tx.session.id, settled)
}

/** Returns a refusal that precedes the gate. */
function refusalOf(
  { cutAt }: ToolRequest,
  ordinal: number,
  quota: Quota,
): CallEvaluation | undefined {
  if (quota.kind === 'over') return { kind: 'wrong', check: 'quota', error: quota.error }
  if (cutAt !== undefined) return cut(cutAt)
  return ordinal < maxCalls ? undefined : oneTooMany
}

/** MODEL-08: refuses a call cut off by the token limit; its rest is not parsed, as the model's call itself is not at fault. */
function cut(tokens: number): CallEvaluation {
  const at = tokens === 0 ? 'by the limit of tokens of one answer' : `at ${tokens} tokens`
  const message = `your answer was cut ${at}, in the middle of this call, and nothing of it was done: write it in parts, each in an answer of its own; write with append: true adds to the end of a file`
  return { kind: 'wrong', check: 'schema', error: { category: 'permanent_failure', message } }
}

const oneTooMany: CallEvaluation = {
  kind: 'wrong',
  check: 'quota',
  error: {
    category: 'permanent_failure',
    message: `not run: only the first ${maxCalls} calls of one message run; send the others in a later message`,
  },
}

/** Position of a call in its message and session, with the hint for its error. */
interface Position {
  readonly messageId: string | null
  readonly ordinal: number
  readonly number: number
  readonly hint: string | undefined
}

function draft(
  { session, turn }: TurnRows,
  { request, tool, judged }: EvaluatedRequest,
  { messageId, ordinal, number, hint }: Position,
): NewToolCall {
  const args = toStorable(request.arguments)
  return {
    id: newId(),
    session_id: session.id,
    turn_id: turn.id,
    message_id: messageId,
    number,
    step: turn.step,
    ordinal,
    model_call_id: toStorable(request.id),
    tool,
    arguments: args,
    arguments_sha256: sha256(args),
    in_text: request.inText === true,
    worker: session.worker,
    ...evaluationColumns(judged, hint),
  }
}

type EvaluationColumns = Pick<NewToolCall, 'mutating' | 'state' | 'verdict'> & Partial<NewToolCall>

function evaluationColumns(judged: CallEvaluation, hint: string | undefined): EvaluationColumns {
  if (judged.kind === 'wrong') {
    const verdict = storedVerdict(refusalVerdict(judged))
    return { mutating: false, ...ended('failed', judged.error, hint), verdict }
  }
  const { spec, verdict } = judged
  const base = { mutating: spec.mutating, verdict: storedVerdict(verdict) }
  if (verdict.action === 'deny') return { ...base, ...ended('denied', denialOf(verdict)) }
  // POL-05: approval is not requested before the review either.
  const goesOn = verdict.action === 'allow' || verdict.unreviewed === true
  return { ...base, state: goesOn ? 'allowed' : 'awaiting_approval' }
}

function ended(
  state: 'failed' | 'denied',
  error: ToolError,
  hint?: string,
): Pick<NewToolCall, 'state' | 'result' | 'is_error' | 'error_category'> {
  return {
    state,
    result: toStorable(formatToolError(error, { hint })),
    is_error: true,
    error_category: error.category,
  }
}

async function recordWhenSettled(
  tx: Transaction<CallContext>,
  row: ToolCallRow,
  callerId: string,
): Promise<void> {
  if (row.settled_at === null) return
  await recordDecided(tx, row, callerId)
  await recordSettled(tx, row, callerId)
}

/** Whether a whole batch may run; `words` is the reason for the person, `error` for the model. */
type Quota =
  | { readonly kind: 'fits' }
  | { readonly kind: 'over'; readonly words: string; readonly error: ToolError }

/** LOOP-13, LOOP-15: numbers `count` calls and takes them of the session's quota and the day's budgets, all or none. */
async function reserve(
  tx: TurnTransaction<CallContext>,
  count: number,
): Promise<{ readonly first: number; readonly quota: Quota }> {
  const limit = tx.ctx.settings.maxToolCallsPerSession
  const runs = Math.min(count, maxCalls)
  const { first, fits } = await takeCalls(tx.db, tx.session.id, { count, runs, limit })
  if (!fits) return { first, quota: overQuota(tx, runs, limit ?? 0) }
  const over = withoutRoom(await holdBudgets(tx), runs)
  if (over === undefined) return { first, quota: { kind: 'fits' } }
  await refundCalls(tx.db, tx.session.id, runs)
  const left = Math.max(over.line.limit - over.line.spent, 0)
  const { messages } = tx.ctx
  const words = messages.turns.callsNotRun({ why: describeExceeded(messages, over) })
  const error = blocked(left, over.line.limit, moreByBudget)
  return { first, quota: { kind: 'over', words, error } }
}

function overQuota(
  { ctx, session }: TurnTransaction<CallContext>,
  wanted: number,
  limit: number,
): Quota {
  const left = Math.max(limit - session.calls_used, 0)
  const words = describeQuota(ctx.messages, { wanted, left, limit })
  return { kind: 'over', words, error: blocked(left, limit, moreByQuota) }
}

/** Explains why none of the `wanted` calls ran; suggests /clear only where that helps. */
export function describeQuota(
  { turns }: Messages,
  quota: { readonly wanted: number; readonly left: number; readonly limit: number },
): string {
  if (quota.left === 0) return turns.quotaUsed(quota)
  return quota.wanted > quota.limit ? turns.quotaTooLarge(quota) : turns.quotaTooFew(quota)
}

function blocked(left: number, limit: number, more: string): ToolError {
  const suggestion =
    left > 0
      ? `Ask for at most ${left} calls from now on, those that matter most.`
      : `Answer with what you have, and tell the person that no calls are left: ${more}.`
  const message = `quota_blocked: ${left} of ${limit} left`
  return { category: 'policy_blocked', message, suggestion }
}
