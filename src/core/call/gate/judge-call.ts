import { findGrants } from '../../../db/approval/grants.ts'
import { findUnsentVerdicts } from '../../../db/call/tool-calls.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../../db/schema.ts'
import type { ToolError } from '../../../domain/tool/tool-error.ts'
import type { Verdict } from '../../../domain/verdict.ts'
import { evaluateCall, type GateCall, type GateFacts } from '../../../rules/gate/gate.ts'
import type { Review } from '../../../rules/gate/review/review.ts'
import { fromStoredReview } from '../../../rules/gate/review/stored-review.ts'
import { parseArguments } from '../../../rules/tools/parse-arguments.ts'
import { offeredToModels } from '../../../rules/tools/registry.ts'
import { describeUnmet } from '../../../rules/tools/shown/unmet-requirements.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { countVotes, gateCallOf, originOf, ruleOf, subjectOf } from '../../card/read-card.ts'
import { readVerdict } from '../../stored.ts'
import type { CallContext, GateTransaction, LoadedFacts } from './call-context.ts'

export type CallEvaluation =
  | {
      readonly kind: 'wrong'
      /** Check that refused it, as named in traces. */
      readonly check: 'schema' | 'dependencies' | 'quota'
      readonly error: ToolError
    }
  | {
      readonly kind: 'judged'
      readonly spec: ToolSpec
      readonly args: Readonly<Record<string, unknown>>
      readonly verdict: Verdict
    }

type CallToEvaluate = Pick<ToolCallRow, 'tool' | 'arguments'> & {
  readonly canonical?: string | null
  /** Message of the model that made the call; null: a person typed it. */
  readonly message_id?: string | null
  readonly in_text?: boolean
  readonly review?: string | null
}

/** Evaluates one call: schema first, then every check. Used for a new call and again right before its job. */
export function evaluateToolCall(
  ctx: CallContext,
  facts: GateFacts & Pick<LoadedFacts, 'tools'>,
  call: CallToEvaluate,
): CallEvaluation {
  const tools = call.message_id === null ? facts.tools : offeredToModels(facts.tools)
  const spec = tools.find(({ name }) => name === call.tool)
  if (spec === undefined || !ctx.settings.toolsEnabled) return unknownTool(ctx, call.tool)
  const hidden = call.message_id === null ? undefined : facts.unmet?.get(spec.name)
  if (hidden !== undefined) return notFound(describeUnmet(hidden), 'dependencies')
  const parsed = parseArguments(spec, call.arguments)
  if (parsed.kind === 'error') return { kind: 'wrong', check: 'schema', error: parsed.error }
  const review = reviewOf(call, facts)
  const gateCall = {
    ...gateCallOf(call, { spec, args: parsed.args }),
    inText: call.in_text === true,
    ...(review === undefined ? {} : { review }),
  }
  // POL-05: a person's own command needs no review of whether a person wants it.
  const asked = call.message_id === null ? { ...facts, reviews: undefined } : facts
  const verdict = withShadow(evaluateCall(gateCall, asked), gateCall, asked)
  return { kind: 'judged', spec, args: parsed.args, verdict }
}

function reviewOf(call: CallToEvaluate, { reviews }: GateFacts): Review | undefined {
  if (reviews === undefined) return undefined
  return fromStoredReview(call.review, { ...call, reviewer: reviews.reviewer })
}

/** APPR-21: records what the shadow rules would decide differently; the verdict is unchanged. */
function withShadow(verdict: Verdict, call: GateCall, facts: GateFacts): Verdict {
  if (facts.shadow === undefined) return verdict
  const { action, trace } = evaluateCall(call, { ...facts, worker: facts.shadow })
  if (action === verdict.action) return verdict
  const decider = trace.find((entry) => entry.action === action)
  return { ...verdict, shadow: { action, why: decider?.rule ?? decider?.reason ?? '' } }
}

/** Error for the model on a denial: the reasons, which name local rules but never the person's data. */
export function denialOf(verdict: Verdict): ToolError {
  return { category: 'policy_blocked', message: verdict.reasons.join('; ') || 'denied by rule' }
}

/** Verdict stored for a call refused before the gate. */
export function refusalVerdict({
  check,
  error,
}: Extract<CallEvaluation, { kind: 'wrong' }>): Verdict {
  const reason = error.message
  const trace = [{ check, action: 'deny', reason }] as const
  return { action: 'deny', patterns: [], alwaysPatterns: [], reasons: [reason], trace, risk: 'low' }
}

function unknownTool(ctx: CallContext, name: string): CallEvaluation {
  const why = ctx.settings.toolsEnabled ? '' : '; no tools are enabled here'
  // The model adapter's placeholder for a missing name.
  if (name === '' || name === 'unnamed') return notFound(`the call names no tool${why}`)
  return notFound(`there is no tool ${JSON.stringify(name.slice(0, 64))}${why}`)
}

/** SCH-03: a hidden tool does not exist for the model, however it learnt the name. */
function notFound(message: string, check: 'schema' | 'dependencies' = 'schema'): CallEvaluation {
  return { kind: 'wrong', check, error: { category: 'tool_not_found', message } }
}

/** Serialises a verdict for its call's row. */
export function storedVerdict(verdict: Verdict): string {
  return toStorable(JSON.stringify(verdict))
}

/** Grant uses reserved for allowed calls that are not sent yet, so that none is promised twice. */
interface Uses {
  /** Returns the facts without grants that have no unreserved use left. */
  leftOf<Facts extends Pick<GateFacts, 'grants'>>(facts: Facts): Facts
  /** Reserves the uses of a newly allowed call. */
  reserve(verdict: Verdict): void
}

/** APPR-15: a reservation only; a use is taken when the call is sent. Nothing is read if no grant is counted. */
export async function openUses(
  db: Db,
  sessionId: string,
  { grants: known }: Pick<GateFacts, 'grants'>,
): Promise<Uses> {
  const reserved = new Map<string, number>()
  const reserve = ({ grants = [] }: Verdict): void => {
    for (const id of grants) reserved.set(id, (reserved.get(id) ?? 0) + 1)
  }
  const isCounted = known.some(({ usesLeft }) => usesLeft != null)
  const unsent = isCounted ? await findUnsentVerdicts(db, sessionId) : []
  for (const verdict of unsent) reserve(readVerdict({ verdict }))
  return {
    reserve,
    leftOf: (facts) => {
      const isFree = ({ id = '', usesLeft }: GateFacts['grants'][number]): boolean =>
        usesLeft == null || usesLeft > (reserved.get(id) ?? 0)
      return { ...facts, grants: facts.grants.filter(isFree) }
    },
  }
}

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
  // MCP-01: a tool that its server changed is another one.
  const spec = facts.tools.find(({ name }) => name === call.tool)
  if (originOf(approval)?.pin !== spec?.origin?.pin) return false
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
