import type { TraceEntry } from './verdict.ts'

/** What a row of the audit tells of. */
export type AuditKind =
  /** The gate's last word on a call, before its job is sent. */
  | 'decided'
  /** How a call ended. */
  | 'settled'
  /** One request of a web tool, or one that was refused before any socket (WEB-07). */
  | 'hop'
  /** A result that came after its call was settled; it changed nothing. */
  | 'late_result'
  /** A message of a worker that was dropped: unsigned, forged, or of nobody enrolled. */
  | 'dropped_result'
  /** A tool that began to fail too often (POL-04). */
  | 'anomaly'
  /** A person's slash command that changed something; a pairing, its end; a username that was resolved. */
  | 'command'
  /** What a person said that an answer was worth. */
  | 'feedback'

/** How a call ended, as the audit says it; `blocked`: by the gate, by a person, or since nobody could be asked. */
export type AuditResult = 'success' | 'blocked' | 'error' | 'timeout' | 'cancelled' | 'interrupted'

/** AUD-01: one row of the audit. Absent fields are left out of the JSON form. Arguments are redacted. */
export interface AuditEvent {
  readonly kind: AuditKind
  /** The hash chain: the session's id, or `system`. */
  readonly chain: string
  readonly session_id?: string
  readonly turn_id?: string
  readonly call_id?: string
  readonly tool?: string
  readonly arguments?: string
  readonly caller_id?: string
  readonly verdict?: string
  readonly trace?: readonly TraceEntry[]
  readonly policy_match?: string
  /** APPR-21: what the shadow rules said, where that is another verdict, and their rule or reason. */
  readonly shadow?: string
  readonly shadow_why?: string
  readonly approval_id?: string
  readonly approval_state?: string
  readonly decided_by?: string
  /** When the approval was asked for, and when it was answered: ISO 8601 with milliseconds, UTC. */
  readonly asked_at?: string
  readonly answered_at?: string
  readonly result?: AuditResult
  readonly error_category?: string
  readonly exit_code?: number | null
  readonly truncated?: boolean
  readonly duration_ms?: number
  readonly worker?: string
  readonly replica?: string
  readonly sandbox?: string
  readonly attempt?: number
  /** How often the worker ran it within its attempt, where the system tries again (ERR-03); of a hop, for which try it was. */
  readonly tries?: number
  readonly try?: number
  readonly cached?: boolean
  readonly note?: string
  /** Of a hop: what was asked for, as it may be logged, and how. */
  readonly hosts?: readonly string[]
  readonly url?: string
  readonly method?: string
  readonly address?: string
  readonly status?: number
  readonly bytes?: number
  /** Why it was not sent, or what it answered was not taken. */
  readonly blocked?: string
  /** How it failed. */
  readonly error?: string
}
