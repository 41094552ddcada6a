import { claimDigest, type WeekOfApprovals } from '../../db/approval/kinds.ts'
import type { Format } from '../../domain/messages/language.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import type { CoreContext } from '../context.ts'
import { alert, transact } from '../transaction.ts'

/**
 * CARD-07: sends the operators' conversation the approvals of last week, once for all agents. Does nothing where
 * `[approval] weekly_digest` is off or `[logging] alerts_to` names nobody.
 */
export async function sendDigest(ctx: CoreContext): Promise<void> {
  const { hasDigest, alertsTo, learnAfter } = ctx.settings
  if (!hasDigest || alertsTo === undefined) return
  await transact(ctx, async (tx) => {
    const week = await claimDigest(tx.db, Math.max(learnAfter, 2))
    if (week !== undefined) await alert(tx, { text: digestText(ctx, week) })
  })
}

function digestText(
  { messages, redact }: CoreContext,
  { medianSeconds, often, ...counts }: WeekOfApprovals,
): string {
  const { approvals, format } = messages
  const { digest } = approvals
  const { asked, approved, denied, unanswered } = counts
  const others = asked - approved - denied - unanswered
  const median =
    medianSeconds === null ? [] : [digest.median({ time: spanText(format, medianSeconds) })]
  const head = [digest.counts({ ...counts, others }), ...median].join(' ')
  if (often.length === 0) return head
  const kinds = often.map(({ tool, pattern, times }) =>
    digest.kind({ tool, pattern: shortPattern(redact(pattern)), times }),
  )
  return [head, digest.often, ...kinds.map((kind) => `• ${kind}`), digest.next].join('\n')
}

const mostPatternCharacters = 80

/** A pattern on one line: what a command says must not read like a line of the digest. */
function shortPattern(pattern: string): string {
  const line = makeVisible(pattern).replaceAll(/\s+/g, ' ')
  const characters = [...line]
  return characters.length <= mostPatternCharacters
    ? line
    : `${characters.slice(0, mostPatternCharacters - 1).join('')}…`
}

function spanText({ number }: Format, seconds: number): string {
  if (seconds < 120) return `${number(Math.ceil(seconds))} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${number(minutes)} min` : `${number(Math.ceil(minutes / 60))} h`
}
