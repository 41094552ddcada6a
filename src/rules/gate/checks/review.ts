import type { Effect } from '../../../domain/effect.ts'
import type { Verdict } from '../../../domain/verdict.ts'
import { wildcardMatch } from '../../../util/text/wildcard-match.ts'
import type { GateCall, GateFacts } from '../gate-facts.ts'
import type { Review, ReviewRules } from '../review/review.ts'
import { type Finding, strictest } from './finding.ts'

const check = 'adversarial'
/** Maximum number of trace entries. */
const maxTrace = 100

/**
 * POL-05: applies the review as the last check. A denied call is not reviewed; for others the review counts besides the other
 * findings, whatever rules, grants and GATE-10 say. A call without a review is marked `unreviewed`.
 */
export function withReview(
  verdict: Verdict,
  { spec, review }: Pick<GateCall, 'spec' | 'review'>,
  { reviews }: Pick<GateFacts, 'reviews'>,
): Verdict {
  if (reviews === undefined || verdict.action === 'deny') return verdict
  if (reviews.exemptTools.some((pattern) => wildcardMatch(pattern, spec.name))) return verdict
  if (review !== undefined) return applyReview(verdict, review, reviews)
  return { ...withFinding(verdict, awaited), unreviewed: true }
}

const awaited: Finding = { check, action: 'allow', reason: 'a second model reviews it first' }

/** The final verdict with a review; `verdict`: the result of the other checks. */
export function applyReview(verdict: Verdict, review: Review, rules: ReviewRules): Verdict {
  const { unreviewed: _, ...judged } = verdict
  const trace = judged.trace.filter((entry) => entry.check !== check)
  return withFinding({ ...judged, trace }, findingOf(review, rules))
}

/** Whether a review requires a person's decision before the call runs. */
export function requiresPerson({ outcome }: Review, { failOpen }: ReviewRules): boolean {
  return outcome === 'reject' || (outcome === 'failed' && !failOpen)
}

/** The denial shown to the model does not quote the reviewer; its reason is recorded in the audit as the rule. */
function findingOf(review: Review, rules: ReviewRules): Finding {
  const { outcome, reason, by } = review
  const rule = `${by}: ${outcome === 'failed' ? 'no review' : outcome}: ${reason}`
  if (!requiresPerson(review, rules)) {
    const why = outcome === 'allow' ? 'the review lets it go on' : 'it goes on without a review'
    return { check, action: 'allow', reason: why, rule }
  }
  if (rules.blockOnReject) return { check, action: 'deny', reason: 'policy forbids it', rule }
  const said = outcome === 'reject' ? 'objects' : 'failed'
  const words = `the adversarial review by ${by} ${said}: ${reason}`
  const effect: Effect =
    outcome === 'reject' ? { kind: 'objection', of: reason } : { kind: 'not_reviewed' }
  return { check, action: 'ask', reason: words, rule, isHazard: true, effect }
}

function withFinding(verdict: Verdict, finding: Finding): Verdict {
  const { isHazard, effect, ...entry } = finding
  const trace = [...verdict.trace.slice(0, maxTrace - 1), entry]
  if (finding.action === 'allow') return { ...verdict, trace }
  const { grants: _, ...others } = verdict
  const action = strictest([verdict, finding])
  const before = verdict.action === action ? verdict.reasons : []
  return {
    ...others,
    action,
    // A suspicious call offers no rule for later calls.
    alwaysPatterns: [],
    reasons: [...before, finding.reason],
    ...(action === 'ask' && {
      effects: [...effectsBefore(verdict), ...(effect === undefined ? [] : [effect])],
    }),
    trace,
    risk: isHazard === true ? 'high' : verdict.risk,
  }
}

/** A question that was stored before effects existed has reasons in their place. */
function effectsBefore({ action, effects, reasons }: Verdict): readonly Effect[] {
  if (effects !== undefined) return effects
  return action === 'ask' ? reasons.map((of) => ({ kind: 'other', of })) : []
}
