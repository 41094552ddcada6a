import { findGrants } from '../../../db/approval/grants.ts'
import type { ApprovalRow, ToolCallRow } from '../../../db/schema.ts'
import { countVotes, ruleOf, subjectOf } from '../../card/count-votes.ts'
import { type CallEvaluation, evaluateToolCall } from './judge-call.ts'
import type { GateTransaction, LoadedFacts } from './load-facts.ts'

type InvalidCall = Extract<CallEvaluation, { kind: 'wrong' }>

export type EvaluatedCall = Extract<CallEvaluation, { kind: 'judged' }>

/**
 * Why approval is needed: `changed`: nothing like it was approved; `too few`: the rule in force now requires more votes
 * (DECISIONS 19).
 */
export type AskReason = 'changed' | 'too few'

/** Whether a call may run, with its evaluation. */
type Admission =
  | InvalidCall
  | { readonly kind: 'deny' | AskReason; readonly judged: EvaluatedCall }
  | {
      readonly kind: 'go'
      readonly judged: EvaluatedCall
      /** Grants of which the call takes a use. */
      readonly spends: readonly string[]
    }

/**
 * Evaluates a call right before its job (POL-06): a deny always holds; an ask holds unless these exact arguments were approved.
 * An approved call is evaluated without grants: a grant does not lower its risk and loses no use. Only if votes are too few does
 * a second evaluation check whether a grant allows it anyway.
 */
export async function currentAdmission(
  tx: GateTransaction,
  call: ToolCallRow,
  approval: ApprovalRow | undefined,
): Promise<Admission> {
  if (call.message_id === null) return withoutQuestion(evaluateToolCall(tx.ctx, tx.facts, call))
  if (!isApproved(approval, call, tx.facts)) return byGrants(tx, call, 'changed')
  const judged = evaluateToolCall(tx.ctx, { ...tx.facts, grants: [] }, call)
  if (judged.kind === 'wrong' || judged.verdict.action !== 'ask') return withoutQuestion(judged)
  const { risk } = judged.verdict
  const rule = ruleOf(tx.ctx, approval, { risk, subject: subjectOf(call, judged, tx.facts) })
  const { isEnough } = await countVotes(tx.ctx, tx.db, approval, rule)
  if (isEnough) return { kind: 'go', judged, spends: [] }
  return byGrants(tx, call, 'too few')
}

/** Admits a call that needs no approval: the person who typed it would answer it (TERM-03), or no rule asks. */
function withoutQuestion(judged: CallEvaluation): Admission {
  if (judged.kind === 'wrong') return judged
  if (judged.verdict.action === 'deny') return { kind: 'deny', judged }
  return { kind: 'go', judged, spends: [] }
}

/** Whether these exact arguments were approved, for a box no stronger than the current one. */
function isApproved(
  approval: ApprovalRow | undefined,
  call: ToolCallRow,
  facts: LoadedFacts,
): approval is ApprovalRow {
  if (approval?.state !== 'approved') return false
  if (approval.arguments_sha256 !== call.arguments_sha256) return false
  // INT-37: approval for a box that confines commands does not cover one that does not.
  return facts.confined || !approval.confined
}

/** APPR-15: evaluates by the current grants: earlier calls of the batch may have taken the last use. */
async function byGrants(
  tx: GateTransaction,
  call: ToolCallRow,
  why: AskReason,
): Promise<Admission> {
  const isCounted = tx.facts.grants.some(({ usesLeft }) => usesLeft !== null)
  const grants = isCounted ? await findGrants(tx.db, tx.session.id, tx.turn) : tx.facts.grants
  const judged = evaluateToolCall(tx.ctx, { ...tx.facts, grants }, call)
  if (judged.kind === 'wrong') return judged
  const { action, grants: spends = [] } = judged.verdict
  if (action === 'ask') return { kind: why, judged }
  return action === 'deny' ? { kind: 'deny', judged } : { kind: 'go', judged, spends }
}

/** Call that may run. */
export interface Ready {
  readonly call: ToolCallRow
  readonly approval: ApprovalRow | undefined
  readonly judged: EvaluatedCall
  /** Grants that allow it; a use of each is already taken. */
  readonly spends: readonly string[]
}
