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
import { newId } from '../../../util/new-id.ts'
import type { Reviewed } from '../../call/settle-reviews.ts'
import { namesOf } from '../../call/tell-call.ts'
import { readCanonical } from '../../card/read-canonical.ts'
import type { Reviewer, TurnContext } from '../turn-context.ts'
import { costOf } from './cost-of.ts'

interface Asked {
  readonly turn: TurnRow
  readonly call: ToolCallRow
  /** What the person wrote, the newest first. */
  readonly written: readonly string[]
  /** Fires when the turn is lost or stopped. */
  readonly held: AbortSignal
}

type Said = Pick<Review, 'outcome' | 'reason'> & {
  readonly usage?: Usage
  /** Nobody waits for it any more; `usage` is an estimate until it is there. */
  readonly late?: Promise<Said>
}

/** POL-05: one review. Whatever goes wrong is an outcome; its cost is kept like that of any model call (LOOP-15). */
export async function reviewCall(ctx: TurnContext, asked: Asked): Promise<Reviewed> {
  const { reviewer } = ctx
  if (reviewer === undefined) throw new Error('calls are to be reviewed, and there is no reviewer')
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

/** LOOP-15: an answer that comes after all decides nothing any more, but was paid for, as it says itself. */
async function countLate(
  ctx: TurnContext,
  { model }: Reviewer,
  usageId: string,
  late: Promise<Said> | undefined,
): Promise<void> {
  try {
    const usage = (await late)?.usage
    if (usage === undefined) return
    await endUsage(ctx.db, usageId, 'superseded', usage, costOf(ctx, model.name, usage))
  } catch (error) {
    // One that heeded its abort has no usage to tell of.
    if (error instanceof ModelError) return
    ctx.log.warn({ error: String(error) }, 'what a late review cost was not counted')
  }
}

/** A call whose review is not to be paid for any more. */
export function unasked({ reviewer }: TurnContext, call: ToolCallRow, reason: string): Reviewed {
  return { call, review: { ...failed(reason), by: reviewer?.model.name ?? 'nobody' } }
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

async function ask(ctx: TurnContext, reviewer: Reviewer, asked: Asked): Promise<Said> {
  try {
    const id = newId().slice(-12)
    const call = toReview(ctx, reviewer, asked, id)
    if (call === undefined) return failed('a secret hides what the call does')
    const prompt = reviewPrompt(call, reviewer.policy)
    if (prompt === undefined) return failed('the call is too large to be reviewed whole')
    return await saidOf(ctx, reviewer, prompt, { id, held: asked.held })
  } catch (error) {
    if (error instanceof ModelError) return failed(ctx.redact(error.message))
    ctx.log.warn({ call: asked.call.id, error: String(error) }, 'a review failed')
    return failed('it could not be asked')
  }
}

/** Rejects as the model does, but for an abort: the provider may have read the prompt, and has it paid. */
async function saidOf(
  ctx: TurnContext,
  reviewer: Reviewer,
  prompt: ReviewPrompt,
  { id, held }: { readonly id: string; readonly held: AbortSignal },
): Promise<Said> {
  const { timeoutMs } = reviewer
  const signal = AbortSignal.any([held, patientTimeout(timeoutMs)])
  const late = answerOf(ctx, reviewer, prompt, { id, signal })
  const unheard = failed(`it gave no answer within ${timeoutMs / 1000} s`)
  const given: Said = { ...unheard, usage: estimateOf(prompt), late }
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

function failed(reason: string): Said {
  return { outcome: 'failed', reason }
}

/** The reviewer needs no secret to see what a call does; undefined: without them it does not see that. */
function toReview(
  { redact }: TurnContext,
  { hideSecrets }: Reviewer,
  { call, written }: Asked,
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
): Promise<Said> {
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
