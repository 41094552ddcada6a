import type { ColumnType } from 'kysely'

export interface AgentTable {
  id: string
  model: string
  /** JSON: what people should know of its rules. */
  warnings: string
  /** Verifies what it says live: Ed25519, SPKI PEM. */
  live_key: string
  seen_at: ColumnType<Date, Date | undefined, Date>
}
