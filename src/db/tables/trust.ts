import type { ColumnType, Generated } from 'kysely'
import type { TrustLevel } from '../../domain/trust.ts'
import type { CreatedAt, NullableTime } from './times.ts'

export interface ToolTrustTable {
  tool: string
  level: TrustLevel
  /** Caller id, or `anomaly`. */
  set_by: string
  reason: string | null
  set_at: ColumnType<Date, Date | undefined, Date>
}

/** Results of a tool's last executions; the newest has the highest id. */
export interface ToolOutcomeTable {
  id: Generated<number>
  tool: string
  failed: boolean
}

/** Tool that keeps failing and was reported to operators. */
export interface ToolIncidentTable {
  tool: string
  failed: number
  executions: number
  began_at: CreatedAt
}

/** Usage of tools by models (ERR-06). Several rows for each pair, so that concurrent sessions rarely wait for each other. */
export interface ModelStandingTable {
  model: string
  tool: string
  part: number
  successes: Generated<number>
  /** Calls that failed because of the model's own mistakes. */
  quality_failures: Generated<number>
  last_category: string | null
  last_failure_at: NullableTime
}
