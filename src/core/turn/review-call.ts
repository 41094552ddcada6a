import type { ToolCallRow, TurnRow } from '../../db/schema.ts'
import { endUsage, startUsage } from '../../db/usage.ts'
import type { Usage } from '../../domain/message.ts'
import { ModelError } from '../../ports/model.ts'
import { parseReview } from '../../rules/gate/review/parse-review.ts'
import type { Review } from '../../rules/gate/review/review.ts'
import {
  type CallToReview,
  type ReviewPrompt,
  reviewPrompt,
} from '../../rules/gate/review/review-prompt.ts'
import { shownArguments } from '../../rules/gate/review/shown-arguments.ts'
import { newId } from '../../util/new-id.ts'
import { patientTimeout } from '../../util/patient-timeout.ts'
import { unlessAborted } from '../../util/unless-aborted.ts'
import { readCanonical } from '../call/read-canonical.ts'
import type { Reviewed } from '../call/settle-reviews.ts'
import { namesOf } from '../call/tell-call.ts'
import { costOf } from './cost-of.ts'
import type { Reviewer, TurnKernel } from './turn-kernel.ts'

interface Asked {
  readonly turn: TurnRow
  readonly call: ToolCallRow
  /** What the person wrote, the newest first. */
  readonly written: readonly string[]
  /** Fires when the turn is lost or stopped. */
  readonly held: AbortSignal
}

type Said = Pick<Review, 'outcome' | 'reason'> & { readonly usage?: Usage }

/** POL-05: one review. Whatever goes wrong is an outcome; its cost is kept like that of any model call (LOOP-15). */
export async function reviewCall(kernel: TurnKernel, asked: Asked): Promise<Reviewed> {
  const { reviewer } = kernel
  if (reviewer === undefined) throw new Error('calls are to be reviewed, and there is no reviewer')
  const { turn, call } = asked
  const { model } = reviewer
  const usageId = await startUsage(kernel.db, turn, model)
  const startedAt = performance.now()
  const { outcome, reason, usage } = await ask(kernel, reviewer, asked)
  const ms = performance.now() - startedAt
  const cost = usage === undefined ? undefined : costOf(kernel, model.name, usage)
  await endUsage(kernel.db, usageId, usage === undefined ? 'failed' : 'done', usage, cost)
  const { provider, name } = model
  kernel.observer.told({
    kind: 'call_reviewed',
    ...namesOf(call),
    ...{ provider, model: name, outcome, ms },
    ...(usage ?? noUsage),
    ...(cost === undefined ? {} : { costUsd: cost }),
  })
  return { call, review: { outcome, reason, by: name } }
}

/** A call whose review is not to be paid for any more. */
export function unasked({ reviewer }: TurnKernel, call: ToolCallRow, reason: string): Reviewed {
  return { call, review: { ...failed(reason), by: reviewer?.model.name ?? 'nobody' } }
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

async function ask(kernel: TurnKernel, reviewer: Reviewer, asked: Asked): Promise<Said> {
  const { timeoutMs } = reviewer
  const late: Said = failed(`it gave no answer within ${timeoutMs / 1000} s`)
  try {
    const id = newId().slice(-12)
    const call = toReview(kernel, reviewer, asked, id)
    if (call === undefined) return failed('a secret hides what the call does')
    const prompt = reviewPrompt(call, reviewer.policy)
    if (prompt === undefined) return failed('the call is too large to be reviewed whole')
    const signal = AbortSignal.any([asked.held, patientTimeout(timeoutMs)])
    const answering = answerOf(kernel, reviewer, prompt, id, signal)
    return await unlessAborted(answering, signal, late)
  } catch (error) {
    if (error instanceof ModelError) {
      return error.kind === 'aborted' ? late : failed(kernel.redact(error.message))
    }
    kernel.log.warn({ call: asked.call.id, error: String(error) }, 'a review failed')
    return failed('it could not be asked')
  }
}

function failed(reason: string): Said {
  return { outcome: 'failed', reason }
}

/** The reviewer needs no secret to see what a call does; undefined: without them it does not see that. */
function toReview(
  { redact }: TurnKernel,
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
  { reviews }: TurnKernel,
  { model }: Reviewer,
  { system, message }: ReviewPrompt,
  id: string,
  signal: AbortSignal,
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
