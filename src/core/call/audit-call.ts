import { countToolUse } from '../../db/call/model-tool-use.ts'
import type { ApprovalRow, ToolCallRow } from '../../db/schema.ts'
import type { AuditEvent, AuditKind, AuditResult } from '../../domain/audit-event.ts'
import { settledCallStates } from '../../domain/tool/tool-call.ts'
import { isQualityFailure } from '../../domain/tool/tool-error.ts'
import type { TraceEntry, Verdict } from '../../domain/verdict.ts'
import type { EventOf } from '../../ports/observer.ts'
import type { WorkerMessage } from '../../rules/jobs/contract.ts'
import { findTool } from '../../rules/tools/registry.ts'
import { toLoggedUrl } from '../../rules/web/to-logged-url.ts'
import { isRecord } from '../../util/guards.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { record } from '../audit/record.ts'
import type { CoreContext } from '../context.ts'
import { readVerdict } from '../stored.ts'
import type { Effects, Transaction } from '../transaction.ts'

type ResultMessage = Extract<WorkerMessage, { type: 'result' }>

/** Details of a recorded decision: its approval, a note, and whether a cached result answers the call. */
type Decision = Pick<AuditEvent, 'note' | 'cached'> & {
  readonly approval?: ApprovalRow | undefined
}

/** Records the final decision on a call, before its job is sent or when it is not sent (AUD-05). */
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

/** POL-02: returns the policy rule that denied the call or passed it to the other checks. */
function policyMatch(trace: readonly TraceEntry[]): Pick<AuditEvent, 'policy_match'> {
  const rule = trace.find(({ check }) => check === 'policy')?.rule
  return rule === undefined ? {} : { policy_match: rule }
}

function shadowFields(ctx: CoreContext, call: ToolCallRow, verdict: Verdict): Partial<AuditEvent> {
  if (verdict.shadow === undefined) return {}
  const { action, why } = verdict.shadow
  const { id: callId, tool } = call
  ctx.log.info(
    { callId, tool, verdict: verdict.action, shadow: action },
    'shadow rules give a different verdict',
  )
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

/** Redacts reason and rule, which may quote the command. */
function redacted(ctx: CoreContext, tool: string, { rule, ...entry }: TraceEntry): TraceEntry {
  const clean = (text: string) => ctx.redact(loggedRemark(tool, text))
  return {
    ...entry,
    reason: clean(entry.reason),
    ...(rule === undefined ? {} : { rule: clean(rule) }),
  }
}

/** Records how a call ended, in the transaction that settles it; the event is emitted after the commit. */
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
  emitCallSettled(tx.effects, call)
  if (countsForModel(call)) {
    tx.effects.atEnd(`standing ${call.turn_id}`, (last) => countToolUse(last, call.turn_id))
  }
}

/** ERR-06: whether the outcome counts for the model's tool-use statistics. */
function countsForModel({ message_id, state, error_category }: ToolCallRow): boolean {
  if (message_id === null) return false
  return state === 'succeeded' || (error_category !== null && isQualityFailure(error_category))
}

/** WEB-07: records the requests of a web tool in order, even if its result is late. */
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

/** Records a late result as reported; the call has ended otherwise or is at another attempt. */
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
    note: `received when the call was ${call.state}`,
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

/** WEB-07: a remark as audited: the gate's reasons quote the URL of a web tool. */
function loggedRemark(tool: string, text: string): string {
  if (addressArgument(tool) === undefined) return text
  return text.replaceAll(/https?:\/\/[^\s"'`<>]+/gi, (url) => toLoggedUrl(url))
}

/** WEB-07: a call's arguments as audited: the URL of a web tool without its secret-looking parts. */
export function loggedArguments(call: Pick<ToolCallRow, 'tool' | 'arguments'>): string {
  const name = addressArgument(call.tool)
  if (name === undefined) return call.arguments
  const args = tryParseJson(call.arguments)
  const url = isRecord(args) ? args[name] : undefined
  if (!isRecord(args) || typeof url !== 'string') return call.arguments
  return JSON.stringify({ ...args, [name]: toLoggedUrl(url) })
}

/** Returns the name of a web tool's URL argument. */
function addressArgument(tool: string): string | undefined {
  const ruledBy = findTool(tool)?.ruledBy
  return ruledBy?.kind === 'url' ? ruledBy.argument : undefined
}

/** Event fields that identify a call. */
export function namesOf(call: ToolCallRow) {
  return { turnId: call.turn_id, callId: call.id, tool: nameOf(call.tool) }
}

/** Replaces names that cannot be a tool's: a model may call anything. */
function nameOf(tool: string): string {
  return /^[\w.-]{1,64}$/.test(tool) ? tool : 'other'
}

type EmittedVerdict = EventOf<'call_decided'>['verdict']

/** Emits the gate's verdict on a new call. */
export function emitFirstVerdict(effects: Effects, call: ToolCallRow): void {
  effects.emit({ kind: 'call_decided', ...namesOf(call), verdict: verdictOf(call), isFirst: true })
}

/** Emits a changed verdict on a call that was about to be sent. */
export function emitChangedVerdict(
  effects: Effects,
  call: ToolCallRow,
  verdict: EmittedVerdict,
): void {
  effects.emit({ kind: 'call_decided', ...namesOf(call), verdict, isFirst: false })
}

function verdictOf(call: ToolCallRow): EmittedVerdict {
  if (call.state === 'failed') return 'unjudged'
  if (call.state === 'denied') return 'deny'
  return readVerdict(call).action
}

/** Emits how a call ended. */
function emitCallSettled(effects: Effects, call: ToolCallRow): void {
  const result = settledCallStates.find((state) => state === call.state)
  if (result === undefined) return
  effects.emit({
    kind: 'call_settled',
    ...namesOf(call),
    attempt: call.attempt,
    result,
    ms: call.duration_ms ?? 0,
    lastedMs: (call.settled_at?.getTime() ?? 0) - call.created_at.getTime(),
    ...(call.error_category === null ? {} : { category: call.error_category }),
    ...(call.worker === null || call.attempt === 0 ? {} : { worker: call.worker }),
    ...(call.replica === null ? {} : { replica: call.replica }),
    ...(call.driver === null ? {} : { driver: call.driver }),
  })
}
