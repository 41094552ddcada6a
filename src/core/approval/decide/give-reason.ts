import { endReasonWait } from '../../../db/approval/reason-waits.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { toStorable } from '../../../util/text/storable.ts'
import type { Transaction } from '../../transaction.ts'
import { settleDenial } from './settle-denial.ts'

/** In UTF-16 units; a longer reason is cut. */
export const longestReason = 4_000

/**
 * Settles a denial that waits for its reason, with one or without; false: it waits no more. Call under the session's lock,
 * for whoever denied it.
 */
export async function giveReason(
  tx: Transaction,
  approval: ApprovalRow,
  words: string | undefined,
): Promise<boolean> {
  const reason = shorten(toStorable(words?.trim() ?? ''), longestReason)
  const said = reason === '' ? {} : { reason }
  const ended = await endReasonWait(tx.db, approval.id, { onlyOpen: true, ...said })
  if (ended === undefined) return false
  await settleDenial(tx, ended)
  return true
}
