import type { ToolCallRow, TurnRow } from '../../../db/schema.ts'
import { endUsage, startUsage } from '../../../db/turn/usage.ts'
import type { Usage } from '../../../domain/message.ts'
import { ModelError } from '../../../ports/model.ts'
import { parseReview } from '../../../rules/gate/review/parse-review.ts'
import type { Review } from '../../../rules/gate/review/review.ts'
import {
  type CallToReview,
  type ReviewPrompt,
  reviewPrompt,
} from '../../../rules/gate/review/review-prompt.ts'
import { shownArguments } from '../../../rules/gate/review/shown-arguments.ts'
import { patientTimeout, unlessAborted } from '../../../util/abort.ts'
import { newId } from '../../../util/ids.ts'
import { namesOf } from '../../call/audit-call.ts'
import type { Reviewed } from '../../call/dispatch-ready.ts'
import { readCanonical } from '../../card/read-card.ts'
import { costOf, type Reviewer, type TurnContext } from '../turn-context.ts'

interface ReviewRequest {
  readonly turn: TurnRow
  readonly call: ToolCallRow
  /** The person's messages, newest first. */
  readonly written: readonly string[]
  /** Fires when the turn is lost or stopped. */
  readonly held: AbortSignal
}

type ReviewAnswer = Pick<Review, 'outcome' | 'reason'> & {
  readonly usage?: Usage
  /** Answer that is no longer awaited; `usage` is an estimate until it arrives. */
  readonly late?: Promise<ReviewAnswer>
}

/** POL-05: reviews one call. Every failure is an outcome; the cost is stored like that of any model call (LOOP-15). */
export async function reviewCall(ctx: TurnContext, asked: ReviewRequest): Promise<Reviewed> {
  const { reviewer } = ctx
  if (reviewer === undefined)
    throw new Error('call reviews are enabled but no reviewer is configured')
  const { turn, call } = asked
  const { model } = reviewer
  const usageId = await startUsage(ctx.db, turn, model)
  const startedAt = performance.now()
  const { outcome, reason, usage, late } = await ask(ctx, reviewer, asked)
  const ms = performance.now() - startedAt
  const cost = usage === undefined ? undefined : costOf(ctx, model.name, usage)
  const answered = usage === undefined ? 'failed' : 'done'
  await endUsage(ctx.db, usageId, late === undefined ? answered : 'superseded', usage, cost)
  void countLate(ctx, reviewer, usageId, late)
  const { provider, name } = model
  ctx.observer.record({
    kind: 'call_reviewed',
    ...namesOf(call),
    ...{ provider, model: name, outcome, ms },
    ...(usage ?? noUsage),
    ...(cost === undefined ? {} : { costUsd: cost }),
  })
  return { call, review: { outcome, reason, by: name } }
}

/** LOOP-15: stores the cost of a late answer, which no longer decides anything but was paid for. */
async function countLate(
  ctx: TurnContext,
  { model }: Reviewer,
  usageId: string,
  late: Promise<ReviewAnswer> | undefined,
): Promise<void> {
  try {
    const usage = (await late)?.usage
    if (usage === undefined) return
    await endUsage(ctx.db, usageId, 'superseded', usage, costOf(ctx, model.name, usage))
  } catch (error) {
    // An aborted call reports no usage.
    if (error instanceof ModelError) return
    ctx.log.warn({ error: String(error) }, 'failed to record the cost of a late review')
  }
}

/** Result for a call that is not sent to the reviewer. */
export function skippedReview(
  { reviewer }: TurnContext,
  call: ToolCallRow,
  reason: string,
): Reviewed {
  return { call, review: { ...failed(reason), by: reviewer?.model.name ?? 'nobody' } }
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

async function ask(
  ctx: TurnContext,
  reviewer: Reviewer,
  asked: ReviewRequest,
): Promise<ReviewAnswer> {
  try {
    const id = newId().slice(-12)
    const call = toReview(ctx, reviewer, asked, id)
    if (call === undefined) return failed('a secret hides what the call does')
    const prompt = reviewPrompt(call, reviewer.policy)
    if (prompt === undefined) return failed('the call is too large to be reviewed whole')
    return await askReviewer(ctx, reviewer, prompt, { id, held: asked.held })
  } catch (error) {
    if (error instanceof ModelError) return failed(ctx.redact(error.message))
    ctx.log.warn({ call: asked.call.id, error: String(error) }, 'call review failed')
    return failed('failed to call the reviewer')
  }
}

/** Asks the model. Rejects with its errors; an abort gives an estimate instead, since the prompt may have been charged. */
async function askReviewer(
  ctx: TurnContext,
  reviewer: Reviewer,
  prompt: ReviewPrompt,
  { id, held }: { readonly id: string; readonly held: AbortSignal },
): Promise<ReviewAnswer> {
  const { timeoutMs } = reviewer
  const signal = AbortSignal.any([held, patientTimeout(timeoutMs)])
  const late = answerOf(ctx, reviewer, prompt, { id, signal })
  const unheard = failed(`it gave no answer within ${timeoutMs / 1000} s`)
  const given: ReviewAnswer = { ...unheard, usage: estimateOf(prompt), late }
  try {
    return await unlessAborted(late, signal, given)
  } catch (error) {
    if (error instanceof ModelError && error.kind === 'aborted') return given
    throw error
  }
}

const bytesOfToken = 4

function estimateOf({ system, message }: ReviewPrompt): Usage {
  const bytes = Buffer.byteLength(system) + Buffer.byteLength(message)
  return { ...noUsage, inputTokens: Math.ceil(bytes / bytesOfToken) }
}

function failed(reason: string): ReviewAnswer {
  return { outcome: 'failed', reason }
}

/** Builds the call for the reviewer, with secrets hidden; undefined if hiding them would hide what it does. */
function toReview(
  { redact }: TurnContext,
  { hideSecrets }: Reviewer,
  { call, written }: ReviewRequest,
  id: string,
): CallToReview | undefined {
  const args = shownArguments(call.arguments, hideSecrets)
  const canonical = readCanonical(call.canonical)?.map(hideSecrets)
  if (args === undefined || !isWhole(canonical)) return undefined
  const [request = '', ...earlier] = written.map(redact)
  const { tool } = call
  return { id, tool, arguments: args, canonical, request, earlier: earlier.toReversed() }
}

function isWhole(
  paths: readonly (string | undefined)[] | undefined,
): paths is readonly string[] | undefined {
  return paths?.every((path) => path !== undefined) ?? true
}

async function answerOf(
  { reviews }: TurnContext,
  { model }: Reviewer,
  { system, message }: ReviewPrompt,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
): Promise<ReviewAnswer> {
  const { text, usage } = await model.answer({
    system,
    messages: [{ role: 'user', author: 'gate', text: message }],
    tools: [],
    toolChoice: 'none',
    cacheKey: `review-${reviews?.reviewer.slice(0, 32)}`,
    signal,
  })
  return { ...parseReview(text, id), usage }
}
