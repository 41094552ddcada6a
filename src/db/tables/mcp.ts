import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt, NullableTime } from './times.ts'

/** MCP server as one replica of a worker sees it. */
export interface McpServerTable {
  worker: string
  replica: string
  server: string
  /** Ascending with each message of the replica about it. */
  beat: ColumnType<string, number, number>
  /** Name and version that it gives itself. */
  title: string
  /** Command line or address, without secrets. */
  launch: string
  state: 'up' | 'away'
  note: string | null
  /** Time limit of one call. */
  timeout_ms: number
  /** JSON list of the digests of the tools that it offers, or did before it was away. */
  offered: string
  changed_at: ColumnType<Date, Date | undefined, Date>
}

/** One description of a server's tool (MCP-01). Rows are never changed but for what operators decide. */
export interface McpToolTable {
  worker: string
  server: string
  /** The server's own name for it. */
  name: string
  sha256: string
  title: string | null
  description: string
  /** JSON Schema, as canonical JSON. */
  input_schema: string
  /** JSON. */
  annotations: string
  state: ColumnType<
    'waiting' | 'approved' | 'refused',
    undefined,
    'waiting' | 'approved' | 'refused'
  >
  /** Random, and known to no server: part of the code that approves it. */
  nonce: Generated<string>
  seen_at: CreatedAt
  /** When operators were told that it waits; null if they were not. */
  asked_at: NullableTime
  /** When a replica offered it last, to a day. */
  offered_at: ColumnType<Date, undefined, Date>
  /** Caller id of the operator. */
  decided_by: string | null
  decided_at: NullableTime
}
