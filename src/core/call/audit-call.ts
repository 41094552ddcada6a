import { countToolUse } from '../../db/call/model-tool-use.ts'
import type { ApprovalRow, ToolCallRow } from '../../db/schema.ts'
import type { AuditEvent, AuditKind, AuditResult } from '../../domain/audit-event.ts'
import { isQualityFailure } from '../../domain/tool/tool-error.ts'
import type { TraceEntry, Verdict } from '../../domain/verdict.ts'
import type { WorkerMessage } from '../../rules/jobs/contract.ts'
import { record } from '../audit/record.ts'
import type { CoreContext } from '../context.ts'
import { readVerdict } from '../stored.ts'
import type { Transaction } from '../transaction.ts'
import { loggedArguments, loggedRemark } from './logged-arguments.ts'
import { tellSettled } from './tell-call.ts'

type ResultMessage = Extract<WorkerMessage, { type: 'result' }>

/** What a decision is recorded with: the approval it went by, a remark, whether a kept result answers it. */
type Decision = Pick<AuditEvent, 'note' | 'cached'> & {
  readonly approval?: ApprovalRow | undefined
}

/** Records the last word on a call before its job is sent, or on one that is not sent (AUD-05). */
export async function recordDecided(
  tx: Transaction,
  call: ToolCallRow,
  callerId: string,
  { approval, ...more }: Decision = {},
): Promise<void> {
  const verdict = readVerdict(call)
  const trace = verdict.trace.map((entry) => redacted(tx.ctx, call.tool, entry))
  await record(tx.db, {
    ...identity(tx.ctx, call, callerId, 'decided'),
    arguments: tx.ctx.redact(loggedArguments(call)),
    verdict: verdict.action,
    trace,
    ...policyMatch(trace),
    ...shadowFields(tx.ctx, call, verdict),
    ...approvalFields(approval),
    ...(call.attempt === 0 ? {} : { attempt: call.attempt }),
    ...more,
  })
}

/** POL-02: the rule of the policy that denied the call or let it go on to the other checks. */
function policyMatch(trace: readonly TraceEntry[]): Pick<AuditEvent, 'policy_match'> {
  const rule = trace.find(({ check }) => check === 'policy')?.rule
  return rule === undefined ? {} : { policy_match: rule }
}

function shadowFields(ctx: CoreContext, call: ToolCallRow, verdict: Verdict): Partial<AuditEvent> {
  if (verdict.shadow === undefined) return {}
  const { action, why } = verdict.shadow
  const { id: callId, tool } = call
  ctx.log.info({ callId, tool, verdict: verdict.action, shadow: action }, 'shadow rules differ')
  return { shadow: action, shadow_why: ctx.redact(loggedRemark(tool, why)) }
}

function approvalFields(approval: ApprovalRow | undefined): Partial<AuditEvent> {
  if (approval === undefined) return {}
  const { id, state, decided_by, created_at, decided_at } = approval
  return {
    approval_id: id,
    approval_state: state,
    asked_at: created_at.toISOString(),
    ...(decided_by === null ? {} : { decided_by }),
    ...(decided_at === null ? {} : { answered_at: decided_at.toISOString() }),
  }
}

/** A reason or rule may quote the command. */
function redacted(ctx: CoreContext, tool: string, { rule, ...entry }: TraceEntry): TraceEntry {
  const clean = (text: string) => ctx.redact(loggedRemark(tool, text))
  return {
    ...entry,
    reason: clean(entry.reason),
    ...(rule === undefined ? {} : { rule: clean(rule) }),
  }
}

/** Records how a call ended, in the transaction that settles it; told once that has committed. */
export async function recordSettled(
  tx: Transaction,
  call: ToolCallRow,
  callerId: string,
): Promise<void> {
  await record(tx.db, {
    ...identity(tx.ctx, call, callerId, 'settled'),
    result: auditResult(call),
    ...(call.error_category === null ? {} : { error_category: call.error_category }),
    ...(call.envelope === null ? {} : { exit_code: call.exit_code }),
    ...(call.truncated === null ? {} : { truncated: call.truncated }),
    ...(call.duration_ms === null ? {} : { duration_ms: call.duration_ms }),
    ...(call.replica === null ? {} : { replica: call.replica }),
    ...(call.driver === null ? {} : { sandbox: call.driver }),
    ...(call.attempt === 0 ? {} : { attempt: call.attempt }),
    ...(call.tries === null ? {} : { tries: call.tries }),
    ...(call.cached_from === null ? {} : { cached: true }),
  })
  tellSettled(tx.effects, call)
  if (saysOfModel(call)) {
    tx.effects.atEnd(`standing ${call.turn_id}`, (last) => countToolUse(last, call.turn_id))
  }
}

/** ERR-06 */
function saysOfModel({ message_id, state, error_category }: ToolCallRow): boolean {
  if (message_id === null) return false
  return state === 'succeeded' || (error_category !== null && isQualityFailure(error_category))
}

/** WEB-07: records what a web tool asked for, in order, whether its result still counts or not. */
export async function recordHops(
  tx: Transaction,
  call: ToolCallRow,
  callerId: string,
  { outcome, attempt, replica }: ResultMessage,
): Promise<void> {
  const isWeb = outcome.kind === 'succeeded' || outcome.kind === 'failed'
  for (const hop of (isWeb ? outcome.hops : undefined) ?? []) {
    const { host, url, blocked, error, ...rest } = hop
    await record(tx.db, {
      ...identity(tx.ctx, call, callerId, 'hop'),
      ...rest,
      hosts: [host],
      url: tx.ctx.redact(url),
      ...(blocked === undefined ? {} : { blocked: tx.ctx.redact(blocked) }),
      ...(error === undefined ? {} : { error: tx.ctx.redact(error) }),
      replica,
      attempt,
    })
  }
}

/** Records a result that came too late, as what it was; the call has ended otherwise, or is at another attempt. */
export async function recordLateResult(
  tx: Transaction,
  call: ToolCallRow,
  callerId: string,
  { outcome, attempt, replica, durationMs }: ResultMessage,
): Promise<void> {
  const category = outcome.kind === 'failed' ? outcome.error.category : null
  const state = outcome.kind === 'unchanged' ? 'succeeded' : outcome.kind
  const isEnd = state === 'succeeded' || state === 'interrupted'
  await record(tx.db, {
    ...identity(tx.ctx, call, callerId, 'late_result'),
    result: auditResult({ state: isEnd ? state : 'failed', error_category: category }),
    ...(category === null ? {} : { error_category: category }),
    duration_ms: Math.round(durationMs),
    replica,
    attempt,
    note: `it came when the call was ${call.state}`,
  })
}

function identity(
  ctx: CoreContext,
  call: ToolCallRow,
  callerId: string,
  kind: AuditKind,
): AuditEvent {
  return {
    kind,
    chain: call.session_id,
    session_id: call.session_id,
    turn_id: call.turn_id,
    call_id: call.id,
    tool: call.tool,
    caller_id: callerId,
    worker: call.worker ?? ctx.settings.worker,
  }
}

function isKeptBack(category: string | null): boolean {
  return category === 'policy_blocked' || category === 'confirmation_required'
}

function auditResult(call: Pick<ToolCallRow, 'state' | 'error_category'>): AuditResult {
  if (call.state === 'succeeded') return 'success'
  if (call.state === 'interrupted') return 'interrupted'
  if (call.state === 'cancelled' || call.error_category === 'cancelled') return 'cancelled'
  if (call.state === 'denied' || isKeptBack(call.error_category)) return 'blocked'
  return call.error_category === 'timeout' ? 'timeout' : 'error'
}
