import type { ColumnType, Generated } from 'kysely'
import type { TrustLevel } from '../../domain/trust.ts'
import type { Made, Moment } from './moment.ts'

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

/** How models use each tool (ERR-06). Of one pair there are several rows, so that sessions which count at once seldom wait. */
export interface ModelStandingTable {
  model: string
  tool: string
  part: number
  successes: Generated<number>
  /** Calls that failed by the model's own doing. */
  quality_failures: Generated<number>
  last_category: string | null
  last_failure_at: Moment
}
