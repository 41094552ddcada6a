import type { ColumnType } from 'kysely'

export interface AgentTable {
  id: string
  model: string
  /** JSON: further models by their names, from which people choose. */
  models: ColumnType<string, string | undefined, string>
  /** JSON: what people should know of its rules. */
  warnings: string
  /** Verifies what it says live: Ed25519, SPKI PEM. */
  live_key: string
  seen_at: ColumnType<Date, Date | undefined, Date>
  /** The machine or container; like the rest null for one that is too old to say so. */
  host: ColumnType<string | null, string, string>
  /** The worker whose rules it tells of. */
  rules_worker: ColumnType<string | null, string, string>
  /** Where a person finds them. */
  rules_path: ColumnType<string | null, string, string>
  rules_sha256: ColumnType<string | null, string, string>
  /** When it began to work with these. */
  rules_since: ColumnType<Date | null, Date, Date>
}
