import type { ColumnType, Generated } from 'kysely'

export interface AuditLogTable {
  id: Generated<number>
  chain: string
  seq: number
  previous_hash: string
  hash: string
  /** Time with whole milliseconds. */
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

/** Read-only view with one row for each call. */
export interface AuditCallsView {
  at: ColumnType<Date, never, never>
  caller_id: ColumnType<string | null, never, never>
  tool: ColumnType<string | null, never, never>
  /** Redacted JSON. */
  arguments: ColumnType<string | null, never, never>
  verdict: ColumnType<string | null, never, never>
  decided_by: ColumnType<string | null, never, never>
  /** null while the call has not ended. */
  result: ColumnType<string | null, never, never>
  duration_ms: ColumnType<number | null, never, never>
  /** Caller as in `audit_log`. */
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

/** Signed record of rows that retention dropped. */
export interface AuditCutTable {
  id: Generated<number>
  at: ColumnType<Date, Date, never>
  body: string
  kid: string
  signature: string
}

/** Person behind a pseudonym in the audit, with the key it was derived from. */
export interface AuditPersonTable {
  caller_id: string
  alias: string
  key: ColumnType<Buffer, Buffer, never>
}

/** Pseudonyms without keys, for readers of the audit. */
export type AuditPeopleView = Pick<AuditPersonTable, 'caller_id' | 'alias'>

/** Result of a scheduled verification (AUD-02). */
export interface AuditVerificationTable {
  id: Generated<number>
  at: ColumnType<Date, unknown, never>
  rows: number
  chains: number
  broken: number
  /** JSON: `[{chain, seq, why}]`. */
  findings: string
}
