import type { ToolCallRow } from '../../db/schema.ts'
import { readVerdict } from '../stored.ts'
import type { CallContext } from './gate/call-context.ts'

/** POL-05: those of a batch that the reviewer has to be asked about before anything else becomes of them. */
export function unreviewedOf(
  { reviews }: Pick<CallContext, 'reviews'>,
  batch: readonly ToolCallRow[],
): readonly ToolCallRow[] {
  return reviews === undefined ? [] : batch.filter(isUnreviewed)
}

function isUnreviewed(call: ToolCallRow): boolean {
  return call.state === 'allowed' && readVerdict(call).unreviewed === true
}
