import { endReasonWait } from '../../../db/approval/reason-waits.ts'
import type { ApprovalRow, Db } from '../../../db/schema.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { toStorable } from '../../../util/text/storable.ts'
import type { CoreContext } from '../../context.ts'
import type { Effects } from '../../transaction.ts'
import { settleDenial } from './settle-denial.ts'

/** In UTF-16 units; a longer reason is cut. */
export const longestReason = 4_000

/**
 * Settles a denial that waits for its reason, with one or without; false: it waits no more. Call under the session's lock,
 * for whoever denied it.
 */
export async function giveReason(
  ctx: CoreContext,
  db: Db,
  after: Effects,
  approval: ApprovalRow,
  words: string | undefined,
): Promise<boolean> {
  const reason = shorten(toStorable(words?.trim() ?? ''), longestReason)
  const said = reason === '' ? {} : { reason }
  const ended = await endReasonWait(db, approval.id, { onlyOpen: true, ...said })
  if (ended === undefined) return false
  await settleDenial(ctx, db, after, ended)
  return true
}
