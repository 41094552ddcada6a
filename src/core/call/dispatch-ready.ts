import { findApprovalOfCall } from '../../db/approvals.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import { isMutating, markQueued, settleHere, updateCall } from '../../db/tool-calls.ts'
import type { ToolError } from '../../domain/tool-error.ts'
import type { Verdict } from '../../domain/verdict.ts'
import { toolsQueue } from '../../rules/jobs/contract.ts'
import { toStorable } from '../../util/storable.ts'
import type { Effects } from '../kernel/transact.ts'
import { recordDecided, recordSettled } from './audit-call.ts'
import type { CallKernel, Scope } from './call-kernel.ts'
import { closeCard } from './close-card.ts'
import { denialOf, type Judged, judgeCall } from './judge-call.ts'
import type { LoadedFacts } from './load-facts.ts'
import { refuseCall } from './refuse-call.ts'
import { runAgentTool } from './run-agent-tool.ts'
import { signCall } from './sign-call.ts'
import { supersede } from './supersede.ts'
import { namesOf, tellNewVerdict } from './tell-call.ts'

/** A call that needs a person, and the verdict that says so. */
export interface Ask {
  readonly call: ToolCallRow
  readonly verdict: Verdict
  readonly args: Readonly<Record<string, unknown>>
}

/**
 * Sends what may run now: calls that only read at once, mutating ones one at a time in the batch's order, never past
 * one that waits (DECISIONS 2). Each is judged again first (POL-06). Answers the calls that need a new approval.
 */
export async function dispatchReady(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  facts: LoadedFacts,
  batch: readonly ToolCallRow[],
): Promise<Ask[]> {
  const asks: Ask[] = []
  let blocked = await isMutating(db, scope.session.id)
  for (const call of batch) {
    if (call.settled_at !== null) continue
    const mayGo = call.state === 'allowed' && !(call.mutating && blocked)
    const left = mayGo ? await dispatch(kernel, db, after, scope, facts, call) : 'open'
    if (typeof left === 'object') asks.push(left)
    if (call.mutating && left !== 'settled') blocked = true
  }
  return asks
}

type Left = 'settled' | 'open' | Ask

async function dispatch(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  facts: LoadedFacts,
  call: ToolCallRow,
): Promise<Left> {
  const judged = judgeCall(kernel, facts, call)
  if (judged.kind === 'wrong') {
    tellNewVerdict(after, call, 'unjudged')
    return refuse(kernel, db, after, scope, call, { state: 'failed', error: judged.error })
  }
  const approval = await findApprovalOfCall(db, call.id)
  const standing = standingOf(scope, facts, judged, call, approval)
  if (standing === 'deny') {
    await updateCall(db, call.id, { verdict: stored(judged.verdict) })
    tellNewVerdict(after, call, 'deny')
    const error = denialOf(judged.verdict)
    return refuse(kernel, db, after, scope, call, { state: 'denied', error })
  }
  if (standing === 'ask') return askAgain(db, after, call, judged)
  return send(kernel, db, after, scope, facts, { call, approval, ...judged })
}

/** What holds for a call now: a deny always; an ask unless a person approved these very arguments. */
function standingOf(
  scope: Scope,
  facts: LoadedFacts,
  judged: Extract<Judged, { kind: 'judged' }>,
  call: ToolCallRow,
  approval: ApprovalRow | undefined,
): 'deny' | 'ask' | 'go' {
  if (judged.verdict.action === 'deny') return 'deny'
  if (judged.verdict.action === 'allow') return 'go'
  if (scope.turn.kind !== 'message') return 'go'
  const approved =
    approval?.state === 'approved' && approval.arguments_sha256 === call.arguments_sha256
  // INT-37: what was approved for a box that keeps commands in was not approved for one that does not.
  const asShown = approval?.confined !== true || facts.confined
  return approved && asShown ? 'go' : 'ask'
}

async function refuse(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  call: ToolCallRow,
  end: { readonly state: 'failed' | 'denied'; readonly error: ToolError },
): Promise<'settled'> {
  await refuseCall(kernel, db, after, call, scope.turn.caller_id, end)
  await closeCard(db, after, call.id, end.error.message)
  return 'settled'
}

async function askAgain(
  db: Db,
  after: Effects,
  call: ToolCallRow,
  judged: Extract<Judged, { kind: 'judged' }>,
): Promise<Ask> {
  const { verdict, args } = judged
  await supersede(db, after, call.id)
  const waiting = await updateCall(db, call.id, {
    state: 'awaiting_approval',
    verdict: stored(verdict),
    base_sha256: null,
    preview: 'none',
  })
  tellNewVerdict(after, waiting, 'ask')
  return { call: waiting, verdict, args }
}

function stored(verdict: Verdict): string {
  return toStorable(JSON.stringify(verdict))
}

const tooLarge: ToolError = {
  category: 'invalid_parameters',
  message: 'a path of this call, or the rules about it, are too long for a worker to take',
}

type Ready = Extract<Judged, { kind: 'judged' }> & {
  readonly call: ToolCallRow
  readonly approval: ApprovalRow | undefined
}

async function send(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  facts: LoadedFacts,
  ready: Ready,
): Promise<Left> {
  const { call, spec, args, approval, verdict } = ready
  if (spec.runsIn === 'agent') return runHere(kernel, db, after, scope, ready)
  const job = signCall(kernel, scope, facts, 'run', {
    call,
    spec,
    args,
    attempt: call.attempt + 1,
    ...(approval?.state === 'approved' ? { approvalId: approval.id } : {}),
  })
  if (job === undefined) {
    return refuse(kernel, db, after, scope, call, { state: 'failed', error: tooLarge })
  }
  const sent = { driver: facts.driver, verdict: stored(verdict) }
  const queued = await markQueued(db, call.id, sent)
  // TERM-03: nobody was asked, because who would answer is who typed it.
  const note = scope.turn.kind === 'message' ? undefined : 'a person’s own command'
  await recordDecided(kernel, db, queued, scope.turn.caller_id, approval, note)
  after.sendJob(
    toolsQueue(scope.session.worker, facts.warmAt),
    `call-${queued.id}-${queued.attempt}`,
    job,
  )
  after.tell({
    kind: 'call_sent',
    ...namesOf(queued),
    attempt: queued.attempt,
    worker: scope.session.worker,
  })
  return 'open'
}

async function runHere(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  { call, args, approval }: Ready,
): Promise<Left> {
  await recordDecided(kernel, db, call, scope.turn.caller_id, approval)
  const answer = await runAgentTool(kernel, db, scope, call.tool, args)
  const settled = await settleHere(db, call.id, {
    state: answer.isError ? 'failed' : 'succeeded',
    result: toStorable(answer.text),
    is_error: answer.isError,
    error_category: answer.category,
    duration_ms: 0,
  })
  if (settled !== undefined) await recordSettled(kernel, db, after, settled, scope.turn.caller_id)
  return 'settled'
}
