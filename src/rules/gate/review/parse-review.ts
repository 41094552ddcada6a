import { z } from 'zod'
import { shorten } from '../../../util/text/shorten.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import type { Review } from './review.ts'

const longestAnswer = 20_000
const longestReason = 300

const answer = z.object({
  review: z.string().optional().catch(undefined),
  verdict: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['allow', 'deny'])),
  reason: z.string().catch(''),
})

/**
 * Parses the answer to a review with this id. It must be exactly one JSON object, optionally in a fenced block; it allows only
 * with the id, which the author of the reviewed text could not know. Other answers count as failed, except that a plain deny
 * always counts.
 */
export function parseReview(text: string, id: string): Pick<Review, 'outcome' | 'reason'> {
  if (text.length > longestAnswer) return failed('its answer is too long')
  const parsed = answer.safeParse(tryParseJson(withoutFence(text.trim())))
  if (!parsed.success) return failed('its answer has not the form that it was asked for')
  const { review, verdict, reason } = parsed.data
  const said = oneLine(reason) || 'it gave no reason'
  if (verdict === 'deny') return { outcome: 'reject', reason: said }
  return review === id
    ? { outcome: 'allow', reason: said }
    : failed('its answer is not about this review')
}

function failed(reason: string): Pick<Review, 'outcome' | 'reason'> {
  return { outcome: 'failed', reason }
}

const fence = '```'

/** Models often put JSON into a fenced block. */
function withoutFence(text: string): string {
  const begins = [`${fence}json\n`, `${fence}\n`].find((start) => text.startsWith(start))
  if (begins === undefined || !text.endsWith(`\n${fence}`)) return text
  return text.slice(begins.length, -fence.length)
}

function oneLine(text: string): string {
  return shorten(text.split(/\s+/).filter(Boolean).join(' '), longestReason)
}
