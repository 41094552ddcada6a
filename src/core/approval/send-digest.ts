import { claimDigest, type WeekOfApprovals } from '../../db/approval/kinds.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import type { CoreContext } from '../context.ts'
import { alert } from '../outbox/post.ts'
import { transact } from '../transaction.ts'

/**
 * CARD-07: sends the operators' conversation the approvals of last week, once for all agents. Does nothing where
 * `[approval] weekly_digest` is off or `[logging] alerts_to` names nobody.
 */
export async function sendDigest(ctx: CoreContext): Promise<void> {
  const { hasDigest, alertsTo, learnAfter } = ctx.settings
  if (!hasDigest || alertsTo === undefined) return
  await transact(ctx, async (tx) => {
    const week = await claimDigest(tx.db, Math.max(learnAfter, 2))
    if (week !== undefined) await alert(tx, { text: digestText(week, ctx.redact) })
  })
}

function digestText(week: WeekOfApprovals, redact: (text: string) => string): string {
  const { asked, approved, denied, unanswered, medianSeconds, often } = week
  const others = asked - approved - denied - unanswered
  const median =
    medianSeconds === null ? '' : ` Half of the answers came within ${spanWords(medianSeconds)}.`
  const counts = `Approvals last week: ${asked} asked, ${approved} approved, ${denied} denied, ${unanswered} unanswered, ${others} allowed by a rule or cancelled.${median}`
  if (often.length === 0) return counts
  const kinds = often.map(
    ({ tool, pattern, times }) => `• ${tool}: ${shortPattern(redact(pattern))} (${times} times)`,
  )
  return [
    counts,
    'Approved often and not denied:',
    ...kinds,
    'countersign gate suggest tells which of them may become rules.',
  ].join('\n')
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

function spanWords(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
