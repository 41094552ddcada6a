import { qualityFailures } from '../../domain/tool/tool-error.ts'
import { literals } from '../literals.ts'
import type { Db } from '../schema.ts'

const qualities = literals(qualityFailures)

/** ERR-04: returns tool names with which a turn's calls failed because of the model's own mistakes. */
export async function findMisusedTools(db: Db, turnId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('tool_call')
    .select('tool')
    .distinct()
    .where('turn_id', '=', turnId)
    .where('error_category', 'in', qualities)
    .where('edited_by', 'is', null)
    .execute()
  return new Set(rows.map(({ tool }) => tool))
}
