import { z } from 'zod'
import { sha256 } from '../../../util/digest.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import type { Review } from './review.ts'

/** All that a review depends on: with another of these it is another call, or another review. */
export interface Reviewable {
  readonly reviewer: string
  readonly tool: string
  /** The exact text. */
  readonly arguments: string
  /** The canonical paths that an executor reported, as they are stored. */
  readonly canonical?: string | null | undefined
}

const stored = z.object({
  of: z.string(),
  outcome: z.enum(['allow', 'reject', 'failed']),
  reason: z.string(),
  by: z.string(),
})

/** A review as its call's row holds it. */
export function toStoredReview({ outcome, reason, by }: Review, about: Reviewable): string {
  return toStorable(JSON.stringify({ of: digestOf(about), outcome, reason, by }))
}

/** The stored review of exactly this; undefined: there is none, or it was of something else. */
export function fromStoredReview(
  text: string | null | undefined,
  about: Reviewable,
): Review | undefined {
  if (text == null) return undefined
  const parsed = stored.safeParse(tryParseJson(text))
  if (!parsed.success || parsed.data.of !== digestOf(about)) return undefined
  const { outcome, reason, by } = parsed.data
  return { outcome, reason, by }
}

function digestOf({ reviewer, tool, arguments: args, canonical }: Reviewable): string {
  return sha256(JSON.stringify([reviewer, tool, args, canonical ?? null]))
}
