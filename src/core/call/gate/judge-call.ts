import type { ToolCallRow } from '../../../db/schema.ts'
import type { ToolError } from '../../../domain/tool/tool-error.ts'
import type { Verdict } from '../../../domain/verdict.ts'
import { evaluateCall, type GateCall, type GateFacts } from '../../../rules/gate/gate.ts'
import type { Review } from '../../../rules/gate/review/review.ts'
import { fromStoredReview } from '../../../rules/gate/review/stored-review.ts'
import { parseArguments } from '../../../rules/tools/parse-arguments.ts'
import { offeredToModels } from '../../../rules/tools/registry.ts'
import { describeUnmet } from '../../../rules/tools/shown/unmet-requirements.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { gateCallOf } from '../../card/gate-call-of.ts'
import type { CallContext } from './call-context.ts'

export type Judged =
  | {
      readonly kind: 'wrong'
      /** The check that refused it, as traces name it. */
      readonly check: 'schema' | 'dependencies' | 'quota'
      readonly error: ToolError
    }
  | {
      readonly kind: 'judged'
      readonly spec: ToolSpec
      readonly args: Readonly<Record<string, unknown>>
      readonly verdict: Verdict
    }

export type CallToJudge = Pick<ToolCallRow, 'tool' | 'arguments'> & {
  readonly canonical?: string | null
  /** The model's message that asked for it; null: a person did. */
  readonly message_id?: string | null
  readonly in_text?: boolean
  readonly review?: string | null
}

/** One call through the gate: schema first, then every check. The same for a fresh call and right before its job. */
export function judgeCall(ctx: CallContext, facts: GateFacts, call: CallToJudge): Judged {
  const tools = call.message_id === null ? ctx.tools : offeredToModels(ctx.tools)
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
  // POL-05: what a person typed needs nobody to tell whether a person wants it.
  const asked = call.message_id === null ? { ...facts, reviews: undefined } : facts
  const verdict = withShadow(evaluateCall(gateCall, asked), gateCall, asked)
  return { kind: 'judged', spec, args: parsed.args, verdict }
}

function reviewOf(call: CallToJudge, { reviews }: GateFacts): Review | undefined {
  if (reviews === undefined) return undefined
  return fromStoredReview(call.review, { ...call, reviewer: reviews.reviewer })
}

/** APPR-21: notes what the shadow rules would say otherwise; the verdict stays what it is. */
function withShadow(verdict: Verdict, call: GateCall, facts: GateFacts): Verdict {
  if (facts.shadow === undefined) return verdict
  const { action, trace } = evaluateCall(call, { ...facts, worker: facts.shadow })
  if (action === verdict.action) return verdict
  const decider = trace.find((entry) => entry.action === action)
  return { ...verdict, shadow: { action, why: decider?.rule ?? decider?.reason ?? '' } }
}

/** What the model is told of a denial: the reasons, which name rules of the place but never the person's data. */
export function denialOf(verdict: Verdict): ToolError {
  return { category: 'policy_blocked', message: verdict.reasons.join('; ') || 'denied by rule' }
}

/** What is stored of a call that was refused before the gate judged it. */
export function refusalVerdict({ check, error }: Extract<Judged, { kind: 'wrong' }>): Verdict {
  const reason = error.message
  const trace = [{ check, action: 'deny', reason }] as const
  return { action: 'deny', patterns: [], alwaysPatterns: [], reasons: [reason], trace, risk: 'low' }
}

function unknownTool(ctx: CallContext, name: string): Judged {
  const why = ctx.settings.toolsEnabled ? '' : '; no tools are enabled here'
  // What the edge puts in the place of a name that a model left out.
  if (name === '' || name === 'unnamed') return notFound(`the call names no tool${why}`)
  return notFound(`there is no tool ${JSON.stringify(name.slice(0, 64))}${why}`)
}

/** SCH-03: one that is hidden is none for a model, however it learnt the name. */
function notFound(message: string, check: 'schema' | 'dependencies' = 'schema'): Judged {
  return { kind: 'wrong', check, error: { category: 'tool_not_found', message } }
}
