import { returnUses } from '../../../db/approval/grants.ts'
import { hasHops } from '../../../db/audit/audit-log.ts'
import { recordFilesChange } from '../../../db/call/result-cache.ts'
import {
  lockCall,
  recordLate,
  settleAtWorker,
  type ToolCallChange,
  updateCall,
} from '../../../db/call/tool-calls.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import { getSession, refundCalls } from '../../../db/turn/sessions.ts'
import { makeLiveTurnDue } from '../../../db/turn/turn-activity.ts'
import {
  formatToolError,
  type ToolError,
  type ToolErrorExtras,
} from '../../../domain/tool/tool-error.ts'
import type { CallOutcome, FilteredOutput, WorkerMessage } from '../../../rules/jobs/contract.ts'
import { assertNever } from '../../../util/guards.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { showCallEnd } from '../../card/cards.ts'
import { readTexts } from '../../stored.ts'
import { notice, type Transaction, transact } from '../../transaction.ts'
import { supersede } from '../ask-again.ts'
import { namesOf, recordHops, recordLateResult, recordSettled } from '../audit-call.ts'
import type { CallContext } from '../gate/call-context.ts'
import { watchTool } from '../gate/watch-tool.ts'
import {
  keepResult,
  postFilterStatistics,
  type ShortOutput,
  shortenOutput,
} from '../output/shorten-output.ts'
import { knownResult } from './answer-from-cache.ts'
import { reformatHint } from './reformat-hint.ts'
import {
  classifyReturn,
  interruptedError,
  isUntouched,
  notStartedError,
  type Returned,
  silentWorkerError,
} from './returned.ts'

type ResultMessage = Extract<WorkerMessage, { type: 'result' }>

/** Source of a result: the worker, or nobody, because it fell silent. */
export type ResultSource = 'worker' | 'nobody'

/**
 * Settles a call with a worker's result: only for its current attempt and only once (rule 5). A later result is recorded without
 * effect (INT-10, INT-13). Wakes the session's live turn.
 */
export async function settleResult(
  ctx: CallContext,
  known: ToolCallRow,
  message: ResultMessage,
  teller: ResultSource = 'worker',
): Promise<void> {
  await transact(ctx, async (tx) => {
    const locked = await lockCall(tx.db, known.id)
    if (locked === undefined) return
    const { session_is_open: isOpen, caller_id: callerId, was_asked: wasAsked, ...call } = locked
    const applied = await apply(tx, call, message, teller)
    if (applied !== 'late' || !(await hasHops(tx.db, call.id))) {
      await recordHops(tx, call, callerId, message)
    }
    if (applied === 'late') await auditLateResult(tx, call, callerId, message)
    else if (applied !== 'again') {
      if (isOpen) await keepResult(tx, applied, message.outcome)
      await recordSettled(tx, applied, callerId)
      if (wasAsked) await showCallEnd(tx, applied)
      await postFilterStatistics(tx, applied)
      // Last, since it may wait for transactions that settle a call of the same tool.
      await watchTool(tx, applied)
    }
    const due = await makeLiveTurnDue(tx.db, call.session_id)
    if (due !== undefined) tx.effects.wakeTurn(due)
  })
}

/** Settled call, or why it is not settled. */
type Applied = ToolCallRow | 'again' | 'late'

async function apply(
  tx: Transaction<CallContext>,
  call: ToolCallRow,
  message: ResultMessage,
  teller: ResultSource,
): Promise<Applied> {
  if (message.attempt !== call.attempt) return 'late'
  if (call.state !== 'queued' && call.state !== 'running') return 'late'
  const returned = await classifyReturn(tx.db, call, message.outcome)
  if (returned.kind === 'again') return backToGate(tx, call, message.outcome, returned)
  const { outcome } = returned
  const change = await resultOf(tx.ctx, tx.db, call, outcome)
  const settled = await settleAtWorker(tx.db, call, {
    cached_from: null,
    ...change,
    ...(teller === 'nobody' && outcome.kind === 'interrupted' ? silentWorkerChange() : {}),
    replica: message.replica,
    duration_ms: Math.round(message.durationMs),
    ranMs: message.durationMs,
    tries: triesOf(outcome),
  })
  if (settled === undefined) return 'late'
  if (neverRan(call, outcome, message.durationMs)) await refundCalls(tx.db, call.session_id, 1)
  return settled
}

/** ERR-03: returns the number of tries that a worker reported; null if none. */
function triesOf(outcome: CallOutcome): number | null {
  const isTold = outcome.kind === 'succeeded' || outcome.kind === 'failed'
  return isTold ? (outcome.tries ?? null) : null
}

/** LOOP-13: whether the call was cancelled before it started and costs no quota. */
function neverRan(call: ToolCallRow, outcome: CallOutcome, durationMs: number): boolean {
  if (outcome.kind !== 'failed') return isUntouched(outcome)
  const isCancelled = outcome.error.category === 'cancelled'
  return isCancelled && call.state === 'queued' && durationMs === 0
}

async function backToGate(
  tx: Transaction,
  call: ToolCallRow,
  outcome: CallOutcome,
  { counts }: Extract<Returned, { kind: 'again' }>,
): Promise<Applied> {
  const elsewhere = outcome.kind === 'elsewhere'
  // A path approved under one name needs a new approval under another.
  if (elsewhere || outcome.kind === 'changed') await supersede(tx, call.id, 'changed')
  await returnUses(tx.db, readTexts(call.spent_grants ?? '[]'))
  await updateCall(tx.db, call.id, {
    state: 'allowed',
    spent_grants: null,
    cache_key: null,
    cached_from: null,
    ...(counts ? { turned_back: call.turned_back + 1 } : {}),
    ...(elsewhere ? { canonical: JSON.stringify(outcome.canonical) } : {}),
    ...(outcome.kind === 'changed' ? { base_sha256: null, preview: 'none' } : {}),
  })
  return 'again'
}

async function resultOf(
  ctx: CallContext,
  db: Db,
  call: ToolCallRow,
  outcome: CallOutcome,
): Promise<ToolCallChange> {
  switch (outcome.kind) {
    case 'succeeded': {
      const { output: text, filtered } = outcome
      const output = await shortenOutput({ ctx, db }, call, text, filtered)
      const ended = { state: 'succeeded', is_error: false } as const
      return { ...ended, ...output, ...envelopeOf(outcome, output), ...filtersOf(filtered) }
    }
    case 'failed': {
      const cancelled = outcome.error.category === 'cancelled'
      const output = await shortenOutput({ ctx, db }, call, outcome.output ?? '', outcome.filtered)
      const hint = await reformatHint(ctx, db, call, outcome.error)
      return {
        state: cancelled ? 'cancelled' : 'failed',
        ...errorOf(outcome.error, output.result, { hint, tries: outcome.tries }),
        output: output.output,
        ...(output.summary_state === undefined ? {} : { summary_state: output.summary_state }),
        ...envelopeOf(outcome, output),
        ...filtersOf(outcome.filtered),
      }
    }
    case 'unchanged':
      return (await knownResult(db, call)) ?? { state: 'failed', ...errorOf(unknownResult) }
    case 'interrupted':
      return { state: 'interrupted', ...errorOf(interruptedError(ctx, call, outcome)) }
    case 'elsewhere':
    case 'changed':
    case 'refused':
    case 'preview':
    case 'programs':
      return { state: 'failed', ...errorOf(notStartedError(outcome)) }
    default:
      return assertNever(outcome)
  }
}

const unknownResult: ToolError = {
  category: 'server_error',
  message: 'the worker named a result that is not known here',
}

/** The call may still run: cancels are sent until its replica answers, and no mutating call starts meanwhile. */
function silentWorkerChange(): ToolCallChange {
  return { ...errorOf(silentWorkerError), cancel_requested_at: new Date() }
}

function errorOf(error: ToolError, output = '', more: ToolErrorExtras = {}): ToolCallChange {
  const block = formatToolError(error, more)
  return {
    result: toStorable(output === '' ? block : `${block}\n\n${output}`),
    is_error: true,
    error_category: error.category,
  }
}

function envelopeOf(
  outcome: Extract<CallOutcome, { kind: 'succeeded' | 'failed' }>,
  output: Pick<ShortOutput, 'truncated'>,
): ToolCallChange {
  const { envelope } = outcome
  if (envelope === undefined) return { truncated: output.truncated }
  return {
    envelope: toStorable(JSON.stringify(envelope)),
    exit_code: envelope.exit_code,
    truncated: envelope.truncated || output.truncated,
  }
}

function filtersOf(filtered: FilteredOutput | undefined): ToolCallChange {
  if (filtered === undefined) return {}
  return {
    filters: JSON.stringify(filtered.rules),
    filter_confidence: filtered.confidence,
    lines_before: filtered.linesBefore,
    lines_after: filtered.linesAfter,
  }
}

async function auditLateResult(
  tx: Transaction<CallContext>,
  call: ToolCallRow,
  callerId: string,
  message: ResultMessage,
): Promise<void> {
  // Recorded once: anyone who reaches the queue can repeat the message.
  if (!(await recordLate(tx.db, call.id, message.attempt))) return
  await recordLateResult(tx, call, callerId, message)
  if (call.mutating) await recordFilesChange(tx.db, call.session_id)
  const { attempt, worker, replica } = message
  tx.effects.emit({ kind: 'result_late', ...namesOf(call), attempt, worker, replica })
  if (call.state === 'interrupted') await updateCall(tx.db, call.id, { cancel_requested_at: null })
  const finishedAfterAll = call.state === 'interrupted' && message.outcome.kind === 'succeeded'
  if (!finishedAfterAll) return
  const session = await getSession(tx.db, call.session_id)
  const text = tx.ctx.messages.turns.interruptedFinished(call)
  await notice(tx, session.conversation_id, text, callerId)
}
