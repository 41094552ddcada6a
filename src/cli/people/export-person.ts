import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { inSnapshot } from '../../db/database.ts'
import { type ExportedRow, exportRows } from '../../db/people/person.ts'
import { allCalls } from '../audit/find-audited.ts'

export interface ExportInput extends CommandInput {
  readonly callerId: string
  readonly signal: AbortSignal
  /** Called with each row; the next one is read once it resolves. */
  readonly write: (row: ExportedRow) => Promise<void>
}

/** Exports everything stored about an account, including audit rows, from one snapshot; returns the number of rows. */
export function exportPerson({ callerId, write, ...input }: ExportInput): Promise<number> {
  return withDatabase(input, ({ db }) =>
    inSnapshot(db, async (view) => {
      let count = 0
      const give = async (row: ExportedRow): Promise<void> => {
        await write(row)
        count += 1
      }
      for await (const row of exportRows(view, callerId)) await give(row)
      for await (const entries of allCalls(view, { caller: callerId })) {
        for (const { fields } of entries.flatMap(({ lines }) => lines)) {
          await give({ kind: 'audit', row: fields })
        }
      }
      return count
    }),
  )
}
