import { findGrants } from '../../../db/approval/grants.ts'
import type { ApprovalRow, ToolCallRow } from '../../../db/schema.ts'
import { countVotes, ruleOf, subjectOf } from '../../card/count-votes.ts'
import { type Judged, judgeCall } from './judge-call.ts'
import type { GateTransaction, LoadedFacts } from './load-facts.ts'

type Wrong = Extract<Judged, { kind: 'wrong' }>
export type JudgedCall = Extract<Judged, { kind: 'judged' }>

/** Why it has to be asked: `changed`: people approved nothing like it; `too few`: the rule in force now wants more (DECISIONS 19). */
export type WhyAsked = 'changed' | 'too few'

/** Whether a call may go, and by which judgement. */
export type Admission =
  | Wrong
  | { readonly kind: 'deny' | WhyAsked; readonly judged: JudgedCall }
  | {
      readonly kind: 'go'
      readonly judged: JudgedCall
      /** Grants of which it takes a use. */
      readonly spends: readonly string[]
    }

/**
 * What holds for a call right before its job (POL-06): a deny always; an ask unless people approved these very arguments.
 * What they approved is judged by itself: a grant that holds besides makes it no smaller a risk, and none of its uses is
 * taken. Only where they are too few does it take a second judgement, whether a grant allows it all the same.
 */
export async function standingNow(
  tx: GateTransaction,
  call: ToolCallRow,
  approval: ApprovalRow | undefined,
): Promise<Admission> {
  if (call.message_id === null) return withoutQuestion(judgeCall(tx.ctx, tx.facts, call))
  if (!isApproved(approval, call, tx.facts)) return byGrants(tx, call, 'changed')
  const judged = judgeCall(tx.ctx, { ...tx.facts, grants: [] }, call)
  if (judged.kind === 'wrong' || judged.verdict.action !== 'ask') return withoutQuestion(judged)
  const { risk } = judged.verdict
  const rule = ruleOf(tx.ctx, approval, { risk, subject: subjectOf(call, judged, tx.facts) })
  const { isEnough } = await countVotes(tx.ctx, tx.db, approval, rule)
  if (isEnough) return { kind: 'go', judged, spends: [] }
  return byGrants(tx, call, 'too few')
}

/** Nobody is asked: who typed it would be who answers (TERM-03), or no rule asks for it. */
function withoutQuestion(judged: Judged): Admission {
  if (judged.kind === 'wrong') return judged
  if (judged.verdict.action === 'deny') return { kind: 'deny', judged }
  return { kind: 'go', judged, spends: [] }
}

/** Whether people approved these very arguments, for a box no stronger than the one that is there now. */
function isApproved(
  approval: ApprovalRow | undefined,
  call: ToolCallRow,
  facts: LoadedFacts,
): approval is ApprovalRow {
  if (approval?.state !== 'approved') return false
  if (approval.arguments_sha256 !== call.arguments_sha256) return false
  // INT-37: what was approved for a box that keeps commands in was not approved for one that does not.
  return facts.confined || !approval.confined
}

/** APPR-15: judged by the grants as they are at this moment: those before it in the batch may have taken the last use. */
async function byGrants(tx: GateTransaction, call: ToolCallRow, why: WhyAsked): Promise<Admission> {
  const isCounted = tx.facts.grants.some(({ usesLeft }) => usesLeft !== null)
  const grants = isCounted ? await findGrants(tx.db, tx.session.id, tx.turn) : tx.facts.grants
  const judged = judgeCall(tx.ctx, { ...tx.facts, grants }, call)
  if (judged.kind === 'wrong') return judged
  const { action, grants: spends = [] } = judged.verdict
  if (action === 'ask') return { kind: why, judged }
  return action === 'deny' ? { kind: 'deny', judged } : { kind: 'go', judged, spends }
}
