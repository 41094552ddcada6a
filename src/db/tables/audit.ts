import type { ColumnType, Generated } from 'kysely'

export interface AuditLogTable {
  id: Generated<number>
  chain: string
  seq: number
  previous_hash: string
  hash: string
  /** Whole milliseconds. */
  at: ColumnType<Date, Date, never>
  kind: string
  session_id: string | null
  turn_id: string | null
  call_id: string | null
  tool: string | null
  caller_id: string | null
  verdict: string | null
  result: string | null
  approval_id: string | null
  approval_state: string | null
  decided_by: string | null
  asked_at: Date | null
  answered_at: Date | null
  error_category: string | null
  duration_ms: number | null
  said_by: string | null
  rule: string | null
  hosts: string[] | null
  body: string
}

/** A row a call, of its rows in the audit. Only read. */
export interface AuditCallsView {
  at: ColumnType<Date, never, never>
  caller_id: ColumnType<string | null, never, never>
  tool: ColumnType<string | null, never, never>
  /** JSON, redacted. */
  arguments: ColumnType<string | null, never, never>
  verdict: ColumnType<string | null, never, never>
  decided_by: ColumnType<string | null, never, never>
  /** null: it has not ended. */
  result: ColumnType<string | null, never, never>
  duration_ms: ColumnType<number | null, never, never>
  /** As `audit_log` has the caller. */
  caller_key: ColumnType<string | null, never, never>
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

/** What retention dropped, signed like a checkpoint. */
export interface AuditCutTable {
  id: Generated<number>
  at: ColumnType<Date, Date, never>
  body: string
  kid: string
  signature: string
}

/** Whose pseudonym it is in rows of the audit, and the key that it was made with. */
export interface AuditPersonTable {
  caller_id: string
  alias: string
  key: ColumnType<Buffer, Buffer, never>
}

/** The same without keys, for those who read the audit. */
export type AuditPeopleView = Pick<AuditPersonTable, 'caller_id' | 'alias'>

/** What a scheduled verification found (AUD-02). */
export interface AuditVerificationTable {
  id: Generated<number>
  at: ColumnType<Date, unknown, never>
  rows: number
  chains: number
  broken: number
  /** JSON: `[{chain, seq, why}]`. */
  findings: string
}
