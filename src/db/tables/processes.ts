import type { ColumnType } from 'kysely'

export interface AgentTable {
  id: string
  model: string
  /** JSON: what people should know of its rules. */
  warnings: string
  seen_at: ColumnType<Date, Date | undefined, Date>
}
