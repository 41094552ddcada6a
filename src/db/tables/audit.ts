import type { ColumnType, Generated } from 'kysely'

export interface AuditLogTable {
  id: Generated<number>
  chain: string
  seq: number
  previous_hash: string
  hash: string
  at: ColumnType<Date, Date, never>
  kind: string
  session_id: string | null
  turn_id: string | null
  call_id: string | null
  tool: string | null
  caller_id: string | null
  verdict: string | null
  result: string | null
  body: string
}

export interface AuditHeadTable {
  chain: string
  seq: number
  hash: string
  checked_seq: Generated<number>
}

export interface AuditCheckpointTable {
  id: Generated<number>
  at: ColumnType<Date, Date, never>
  body: string
  kid: string
  signature: string
}
