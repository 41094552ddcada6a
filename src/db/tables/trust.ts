import type { ColumnType, Generated } from 'kysely'
import type { TrustLevel } from '../../domain/trust.ts'
import type { Made } from './moment.ts'

export interface ToolTrustTable {
  tool: string
  level: TrustLevel
  /** A caller id, or `anomaly`. */
  set_by: string
  reason: string | null
  set_at: ColumnType<Date, Date | undefined, Date>
}

/** How the last executions of each tool ended, the newest with the highest id. */
export interface ToolOutcomeTable {
  id: Generated<number>
  tool: string
  failed: boolean
}

/** A tool that keeps failing: operators were told of it. */
export interface ToolIncidentTable {
  tool: string
  failed: number
  executions: number
  began_at: Made
}
