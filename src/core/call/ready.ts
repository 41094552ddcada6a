import type { ApprovalRow, ToolCallRow } from '../../db/schema.ts'
import type { JudgedCall } from './gate/standing-now.ts'

/** A call that may go. */
export interface Ready {
  readonly call: ToolCallRow
  readonly approval: ApprovalRow | undefined
  readonly judged: JudgedCall
  /** The grants that let it go, of which a use is taken already. */
  readonly spends: readonly string[]
}
