import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { findCall, updateCall } from '../../db/call/tool-calls.ts'
import type { ToolCallRow } from '../../db/schema.ts'
import { objects, reviewed } from '../../rules/gate/checks/review.ts'
import type { Review, ReviewRules } from '../../rules/gate/review/review.ts'
import { toStoredReview } from '../../rules/gate/review/stored-review.ts'
import { readVerdict } from '../stored.ts'
import { type Ask, askAgain } from './ask-again.ts'
import { denyReady } from './deny-ready.ts'
import { judgeCall } from './gate/judge-call.ts'
import type { GateTransaction } from './gate/load-facts.ts'
import { storedVerdict } from './gate/stored-verdict.ts'

/** A call as it was when the reviewer saw it, and what it said. */
export interface Reviewed {
  readonly call: ToolCallRow
  readonly review: Review
}

/**
 * POL-05: reviews become part of their calls. What they deny is settled; answers what is to be asked about now. The rest
 * stays ready: before it is sent it is judged again, by all checks and with its review (POL-06).
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
  // Stopped meanwhile, or another call than was reviewed: that is reviewed when its turn comes.
  if (known?.state !== 'allowed' || !isSame(known, seen)) return undefined
  const verdict = reviewed(readVerdict(known), review, rules)
  const call = await updateCall(tx.db, known.id, {
    review: toStoredReview(review, { ...known, reviewer: rules.reviewer }),
    verdict: storedVerdict(verdict),
  })
  if (verdict.action === 'deny') {
    await denyReady(tx, call, verdict)
    return undefined
  }
  if (verdict.action === 'allow') return undefined
  // What people said of it counts when it is about to be sent, unless they could not know of an objection.
  const wasAsked = (await findApprovalOfCall(tx.db, call.id)) !== undefined
  if (wasAsked && !objects(review, rules)) return undefined
  const judged = judgeCall(tx.ctx, tx.facts, call)
  if (judged.kind === 'wrong') return undefined
  return askAgain(tx, call, { verdict, args: judged.args }, 'a review objects to it')
}

function isSame(one: ToolCallRow, other: ToolCallRow): boolean {
  return one.arguments_sha256 === other.arguments_sha256 && one.canonical === other.canonical
}
