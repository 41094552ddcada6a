import { z } from 'zod'
import { sha256 } from '../../../util/digest.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import type { Review } from './review.ts'

/** Everything that a review depends on; if one value differs, the review does not apply. */
export interface Reviewable {
  readonly reviewer: string
  readonly tool: string
  /** The exact text. */
  readonly arguments: string
  /** The executor's canonical paths, as stored. */
  readonly canonical?: string | null | undefined
}

const stored = z.object({
  of: z.string(),
  outcome: z.enum(['allow', 'reject', 'failed']),
  reason: z.string(),
  by: z.string(),
})

/** Serialises a review for the call's row. */
export function toStoredReview({ outcome, reason, by }: Review, about: Reviewable): string {
  return toStorable(JSON.stringify({ of: digestOf(about), outcome, reason, by }))
}

/** The stored review of exactly this call; undefined: there is none, or it was for something else. */
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
