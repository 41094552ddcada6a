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
 * The answer to a review with this id. Only one JSON object, with nothing around it but a fence, is an answer; it allows only
 * with the id, which nobody could know who wrote what was reviewed. All else is no review; a plain deny always counts.
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

/** Models like to put JSON into a fenced block. */
function withoutFence(text: string): string {
  const begins = [`${fence}json\n`, `${fence}\n`].find((start) => text.startsWith(start))
  if (begins === undefined || !text.endsWith(`\n${fence}`)) return text
  return text.slice(begins.length, -fence.length)
}

function oneLine(text: string): string {
  return shorten(text.split(/\s+/).filter(Boolean).join(' '), longestReason)
}
