import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { findGrants, takeGrantUses } from '../../db/approval/grants.ts'
import { findCall, isMutating, updateCall } from '../../db/call/tool-calls.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import type { CancelReason } from '../../domain/messages/messages.ts'
import type { Verdict } from '../../domain/verdict.ts'
import { applyReview, requiresPerson } from '../../rules/gate/checks/review.ts'
import type { Review, ReviewRules } from '../../rules/gate/review/review.ts'
import { toStoredReview } from '../../rules/gate/review/stored-review.ts'
import { mustKeepOrder, type OrderedCall } from '../../rules/tools/must-keep-order.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { readVerdict } from '../stored.ts'
import type { TurnTransaction } from '../transaction.ts'
import { type Ask, requestReapproval } from './ask-again.ts'
import { emitChangedVerdict } from './audit-call.ts'
import type { CallContext, GateTransaction, LoadedFacts } from './gate/call-context.ts'
import {
  type AskReason,
  currentAdmission,
  denialOf,
  evaluateToolCall,
  refusalVerdict,
  storedVerdict,
} from './gate/judge-call.ts'
import { refuseReady } from './refuse-call.ts'
import { sendCall } from './send-call.ts'

/**
 * Sends the calls that may run now. A call waits for earlier unsettled ones of its batch whose reads or writes conflict with it
 * (REG-07); at most one mutating call runs in a session. Each is evaluated again first (POL-06). Returns the calls that need a
 * new approval, and whether the others were only sent. `isNew`: no allowed call of the batch has an approval.
 */
export async function dispatchReady(
  tx: GateTransaction,
  batch: readonly ToolCallRow[],
  isNew: boolean,
): Promise<{ readonly asks: readonly Ask[]; readonly areSent: boolean }> {
  const asks: Ask[] = []
  let areSent = true
  const unreviewed = new Set(unreviewedOf(tx.ctx, batch))
  const isBusy = tx.facts.isMutating ?? (await isMutating(tx.db, tx.session.id))
  const open: OrderedCall[] = []
  for (const call of batch) {
    if (call.settled_at !== null) continue
    const ordered = { mutating: call.mutating, spec: specOf(tx.facts, call) }
    const isReady = call.state === 'allowed' && !unreviewed.has(call)
    const mayGo = isReady && !(call.mutating && isBusy) && !waitsFor(tx.ctx, open, ordered)
    const approval = mayGo && !isNew ? await findApprovalOfCall(tx.db, call.id) : undefined
    const left = mayGo ? await dispatch(tx, call, approval) : 'open'
    if (typeof left === 'object') asks.push(left)
    if (left !== 'settled') open.push(ordered)
    areSent &&= left === 'open'
  }
  return { asks, areSent }
}

function specOf(
  { tools }: Pick<LoadedFacts, 'tools'>,
  { tool }: ToolCallRow,
): ToolSpec | undefined {
  return tools.find(({ name }) => name === tool)
}

function waitsFor(
  { commands }: CallContext,
  earlier: readonly OrderedCall[],
  call: OrderedCall,
): boolean {
  return earlier.some((open) => mustKeepOrder(open, call, { hasNetwork: commands.network }))
}

const whyAgain: Readonly<Record<AskReason, CancelReason>> = {
  changed: 'changed',
  'too few': 'approvers',
}

type Left = 'settled' | 'open' | Ask

async function dispatch(
  tx: GateTransaction,
  call: ToolCallRow,
  approval: ApprovalRow | undefined,
): Promise<Left> {
  const standing = await currentAdmission(tx, call, approval)
  if (standing.kind === 'wrong') {
    emitChangedVerdict(tx.effects, call, 'unjudged')
    await storeVerdict(tx.db, call, refusalVerdict(standing))
    return refuseReady(tx, call, { state: 'failed', error: standing.error })
  }
  const { judged } = standing
  if (standing.kind === 'deny') {
    await storeVerdict(tx.db, call, judged.verdict)
    return denyReady(tx, call, judged.verdict)
  }
  if (judged.verdict.unreviewed === true) {
    // POL-05: the turn's next step has it reviewed; until then it neither runs nor is asked about.
    await storeVerdict(tx.db, call, judged.verdict)
    return 'open'
  }
  if (standing.kind !== 'go') return requestReapproval(tx, call, judged, whyAgain[standing.kind])
  const { spends } = standing
  if (!(await takeGrantUses(tx.db, spends))) {
    // A grant ended since it was read; any remaining one may allow the call.
    const grants = await findGrants(tx.db, tx.session.id, tx.turn)
    return dispatch({ ...tx, facts: { ...tx.facts, grants } }, call, approval)
  }
  return sendCall(tx, { call, approval, judged, spends })
}

async function storeVerdict(db: Db, { id }: ToolCallRow, verdict: Verdict): Promise<void> {
  await updateCall(db, id, { verdict: storedVerdict(verdict) })
}

/** Ends a call that had been allowed and whose stored verdict now denies it. */
function denyReady(
  tx: TurnTransaction<CallContext>,
  call: ToolCallRow,
  verdict: Verdict,
): Promise<'settled'> {
  emitChangedVerdict(tx.effects, call, 'deny')
  return refuseReady(tx, call, { state: 'denied', error: denialOf(verdict) })
}

/** POL-05: returns the calls of a batch that must be reviewed first. */
export function unreviewedOf(
  { reviews }: Pick<CallContext, 'reviews'>,
  batch: readonly ToolCallRow[],
): readonly ToolCallRow[] {
  return reviews === undefined ? [] : batch.filter(isUnreviewed)
}

function isUnreviewed(call: ToolCallRow): boolean {
  return call.state === 'allowed' && readVerdict(call).unreviewed === true
}

/** Call as the reviewer saw it, with the review. */
export interface Reviewed {
  readonly call: ToolCallRow
  readonly review: Review
}

/**
 * POL-05: stores reviews with their calls. Settles those denied and returns those that now need approval. The rest stay ready and
 * are evaluated again with their review before they are sent (POL-06).
 */
export async function settleReviews(
  tx: GateTransaction,
  known: readonly Reviewed[],
): Promise<readonly Ask[]> {
  const { reviews } = tx.ctx
  if (reviews === undefined) return []
  const asks: Ask[] = []
  for (const one of known) {
    const ask = await settle(tx, reviews, one)
    if (ask !== undefined) asks.push(ask)
  }
  return asks
}

async function settle(
  tx: GateTransaction,
  rules: ReviewRules,
  { call: seen, review }: Reviewed,
): Promise<Ask | undefined> {
  const known = await findCall(tx.db, seen.id)
  // Stopped meanwhile, or changed since the review; a changed call is reviewed when its turn comes.
  if (known?.state !== 'allowed' || !isSame(known, seen)) return undefined
  const verdict = applyReview(readVerdict(known), review, rules)
  const call = await updateCall(tx.db, known.id, {
    review: toStoredReview(review, { ...known, reviewer: rules.reviewer }),
    verdict: storedVerdict(verdict),
  })
  if (verdict.action === 'deny') {
    await denyReady(tx, call, verdict)
    return undefined
  }
  if (verdict.action === 'allow') return undefined
  // An earlier approval counts when the call is sent, unless the approvers could not know of an objection.
  const wasAsked = (await findApprovalOfCall(tx.db, call.id)) !== undefined
  if (wasAsked && !requiresPerson(review, rules)) return undefined
  const judged = evaluateToolCall(tx.ctx, tx.facts, call)
  if (judged.kind === 'wrong') return undefined
  return requestReapproval(tx, call, { verdict, args: judged.args }, 'objection')
}

function isSame(one: ToolCallRow, other: ToolCallRow): boolean {
  return one.arguments_sha256 === other.arguments_sha256 && one.canonical === other.canonical
}
