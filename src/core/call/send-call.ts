import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { returnUses } from '../../db/approval/grants.ts'
import { findCancelling, type SilentCall, takeSilentCalls } from '../../db/call/silent-calls.ts'
import { markQueued, settleWithoutWorker } from '../../db/call/tool-calls.ts'
import type { Db, ToolCallRow } from '../../db/schema.ts'
import { getConversation } from '../../db/turn/conversations.ts'
import { getSession } from '../../db/turn/sessions.ts'
import { getTurn } from '../../db/turn/turns.ts'
import { findContentOfCall } from '../../db/upload/unread-uploads.ts'
import { formatToolError, type ToolError } from '../../domain/tool/tool-error.ts'
import { type SignedJob, toolsQueue } from '../../rules/jobs/contract.ts'
import { parseArguments } from '../../rules/tools/parse-arguments.ts'
import { toPresumed } from '../../rules/tools/presumed-tool.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { toStorable } from '../../util/text/storable.ts'
import { showCallEnd } from '../card/cards.ts'
import { attempt, type TurnRows } from '../transaction.ts'
import { namesOf, recordDecided, recordSettled } from './audit-call.ts'
import { type CallContext, type GateTransaction, loadFacts, toolsOf } from './gate/call-context.ts'
import { type Ready, storedVerdict } from './gate/judge-call.ts'
import { refuseReady } from './refuse-call.ts'
import { answerFromCache, type CacheLookup, findCached } from './result/answer-from-cache.ts'
import { reformatHint } from './result/reformat-hint.ts'
import { type AgentAnswer, runAgentTool } from './run-agent-tool.ts'
import { type CallToSign, signCall, signCancel } from './sign-call.ts'

/** Milliseconds without an answer after which a job is sent again. */
const silentMs = 5_000

/**
 * Maximum copies of one attempt in a queue: later ones reuse the last id, which the queue accepts only once it is free. A worker
 * busy for hours finds each call a few times, not hundreds.
 */
const maxCopies = 4

const tooLarge: ToolError = {
  category: 'invalid_parameters',
  message: 'a path of this call, or the rules about it, are too long for a worker to take',
}

const notKept: ToolError = {
  category: 'permanent_failure',
  message: 'the file is not kept any more; it can be sent again',
}

/** Signs a call's job and queues it after the commit; agent tools run here. */
export async function sendCall(tx: GateTransaction, ready: Ready): Promise<'settled' | 'open'> {
  const { call, judged, approval, spends } = ready
  const { spec, args, verdict } = judged
  if (spec.runsIn === 'agent') return runHere(tx, ready)
  const cached = await findCached(tx, ready)
  if (cached && (await answerFromCache(tx, ready, cached))) return 'settled'
  const carried = await contentOf(tx.db, spec, call)
  if (carried === 'gone') {
    await returnUses(tx.db, spends)
    return refuseReady(tx, call, { state: 'failed', error: notKept })
  }
  const job = signCall(tx.ctx, tx, tx.facts, {
    type: 'run',
    call,
    spec,
    args,
    attempt: call.attempt + 1,
    ...carried,
    ...cacheOf(spec, cached),
    ...(approval?.state === 'approved' ? { approvalId: approval.id } : {}),
  })
  if (job === undefined) {
    await returnUses(tx.db, spends)
    return refuseReady(tx, call, { state: 'failed', error: tooLarge })
  }
  const sent = {
    driver: tx.facts.driver,
    pin: spec.origin?.pin ?? null,
    verdict: storedVerdict(verdict),
    spent_grants: spentOf(spends),
    cache_key: cached?.key ?? null,
    cached_from: cached?.result?.callId ?? null,
  }
  const files = args['background'] === true ? 'for good' : 'once'
  const queued = await markQueued(tx.db, call, spec.mutating ? files : undefined, sent)
  const note = noteOn(spec, queued)
  await recordDecided(tx, queued, tx.turn.caller_id, { approval, ...note })
  tx.effects.sendJob(
    toolsQueue(tx.session.worker, tx.facts.warmAt),
    `call-${queued.id}-${queued.attempt}`,
    job,
  )
  tx.effects.emit({
    kind: 'call_sent',
    ...namesOf(queued),
    attempt: queued.attempt,
    worker: tx.session.worker,
  })
  return 'open'
}

/** For box tools the box compares fingerprints; web results have none. */
function cacheOf({ runsIn }: ToolSpec, cached: CacheLookup | undefined): Pick<CallToSign, 'cache'> {
  if (cached === undefined || runsIn !== 'box') return {}
  const known = cached.result?.fingerprint
  return { cache: known === undefined ? {} : { known } }
}

/** TERM-03, CHAT-07: audit note for calls without approval: the person who would answer typed the command or sent the file. */
function noteOn(
  { carriesFile }: ToolSpec,
  { message_id }: ToolCallRow,
): { readonly note?: string } {
  if (message_id !== null) return {}
  return { note: carriesFile === true ? 'a person’s own file' : 'a person’s own command' }
}

function spentOf(ids: readonly string[]): string | null {
  return ids.length === 0 ? null : JSON.stringify(ids)
}

async function runHere(tx: GateTransaction, { call, judged, approval }: Ready): Promise<'settled'> {
  await recordDecided(tx, call, tx.turn.caller_id, { approval })
  const answer = await runAgentTool(tx, {
    tool: call.tool,
    args: judged.args,
  })
  const end = await endOf(tx.ctx, tx.db, call, answer)
  const settled = await settleWithoutWorker(tx.db, call.id, { ...end, duration_ms: 0 })
  if (settled === undefined) return 'settled'
  await recordSettled(tx, settled, tx.turn.caller_id)
  await showCallEnd(tx, settled)
  return 'settled'
}

async function endOf(ctx: CallContext, db: Db, call: ToolCallRow, answer: AgentAnswer) {
  if (answer.kind === 'ok') {
    const result = toStorable(answer.text)
    return { state: 'succeeded', result, is_error: false, error_category: null } as const
  }
  const { error } = answer
  const hint = await reformatHint(ctx, db, call, error)
  const result = toStorable(formatToolError(error, { hint }))
  return { state: 'failed', result, is_error: true, error_category: error.category } as const
}

/** CHAT-07: returns the file content sent with a call, if any; `gone`: it is no longer stored. */
async function contentOf(
  db: Db,
  { carriesFile }: ToolSpec,
  { id }: Pick<ToolCallRow, 'id'>,
): Promise<Pick<CallToSign, 'content'> | 'gone'> {
  if (carriesFile !== true) return {}
  const content = await findContentOfCall(db, id)
  return content === undefined ? 'gone' : { content }
}

/**
 * Resends jobs that a crash or a full queue may have lost: the same attempt under the next number. The worker's journal makes
 * that safe: it answers with the stored result, stays silent while the call runs, and runs it only if it never started (INT-11,
 * INT-12). A copy expires when the first job does: a worker then refuses it, and the call goes through the gate again (POL-06,
 * DECISIONS 15). Call only while signals get through: a call taken counts as sent.
 */
export async function resendCalls(ctx: CallContext): Promise<void> {
  for (const call of await takeSilentCalls(ctx.db, silentMs)) {
    await attempt(ctx, 'resend a call', () => resend(ctx, call))
  }
}

async function resend(ctx: CallContext, call: SilentCall): Promise<void> {
  const signed = await resign(ctx, call)
  if (signed === undefined) return
  const { attempt: count, sends } = call
  const id = `call-${call.id}-${count}-${Math.min(sends, maxCopies)}`
  const worker = call.worker ?? ctx.settings.worker
  await ctx.signals.sendJob(toolsQueue(worker), id, signed)
  ctx.observer.record({ kind: 'call_resent', ...namesOf(call), attempt: count, worker })
}

/**
 * Sends cancels repeatedly until the call is settled (rule 8): a signal may be lost, or a job arrive after it. `turnId`: only
 * this turn's calls.
 */
export async function resendCancels(ctx: CallContext, turnId?: string): Promise<void> {
  for (const call of await findCancelling(ctx.db, turnId)) {
    const session = await getSession(ctx.db, call.session_id)
    const turn = await getTurn(ctx.db, call.turn_id)
    await ctx.signals.sendCancel(signCancel(ctx, { session, turn }, call))
  }
}

/** Signs a job for a call from its current rows. */
async function resign(ctx: CallContext, call: SilentCall): Promise<SignedJob | undefined> {
  const spec = specAsSent(ctx, call)
  if (spec === undefined) return undefined
  const parsed = parseArguments(spec, call.arguments)
  if (parsed.kind === 'error') return undefined
  const rows = await rowsOf(ctx, call)
  const facts = await loadFacts(ctx, ctx.db, rows.session, rows.turn)
  const approval = await findApprovalOfCall(ctx.db, call.id)
  const carried = await contentOf(ctx.db, spec, call)
  if (carried === 'gone') return undefined
  return signCall(ctx, rows, facts, {
    type: 'run',
    call,
    spec,
    args: parsed.args,
    attempt: call.attempt,
    signedAt: Date.now() - call.queued_for_ms,
    ...carried,
    ...(approval?.state === 'approved' ? { approvalId: approval.id } : {}),
  })
}

/**
 * The definition of a call's tool as the call was sent. MCP-01: a server's tool that was approved anew since, or is not offered any
 * more, is still the one that was judged: the worker refuses the call if it finds another.
 */
function specAsSent(ctx: CallContext, call: ToolCallRow): ToolSpec | undefined {
  const spec = toolsOf(ctx, call).find((tool) => tool.name === call.tool)
  if (call.pin === null || spec?.origin?.pin === call.pin) return spec
  const origin = { server: '', tool: call.tool, ...spec?.origin, pin: call.pin }
  return { ...(spec ?? toPresumed(origin)), name: call.tool, origin }
}

async function rowsOf(ctx: CallContext, call: ToolCallRow): Promise<TurnRows> {
  const session = await getSession(ctx.db, call.session_id)
  const conversation = await getConversation(ctx.db, session.conversation_id)
  return { session, conversation, turn: await getTurn(ctx.db, call.turn_id) }
}
