import type { TraceEntry } from './verdict.ts'

/** Kind of an audit row. */
export type AuditKind =
  /** Final verdict of the gate on a call, written before its job is sent. */
  | 'decided'
  /** End of a call. */
  | 'settled'
  /** One request of a web tool, or one that was refused before a socket was opened (WEB-07). */
  | 'hop'
  /** Result that arrived after its call was settled. It changed nothing. */
  | 'late_result'
  /** Dropped worker message: unsigned, forged, or from a worker that is not enrolled. */
  | 'dropped_result'
  /** A tool whose failure rate crossed the threshold (POL-04). */
  | 'anomaly'
  /** Slash command that changed state, a pairing or its end, or a resolved username. */
  | 'command'
  /** Rating of an answer by a person. */
  | 'feedback'

/** Result of a call in the audit. `blocked`: denied by the gate or a person, or nobody could be asked. */
export type AuditResult = 'success' | 'blocked' | 'error' | 'timeout' | 'cancelled' | 'interrupted'

/** AUD-01: one audit row. Absent fields are omitted from the JSON form. Arguments are redacted. */
export interface AuditEvent {
  readonly kind: AuditKind
  /** Hash chain that the row belongs to: a session id, or `system`. */
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
  /** APPR-21: verdict of the shadow rules if it differs, and the rule or reason behind it. */
  readonly shadow?: string
  readonly shadow_why?: string
  readonly approval_id?: string
  readonly approval_state?: string
  readonly decided_by?: string
  /** Times of the request and of its answer: ISO 8601 with milliseconds, UTC. */
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
  /**
   * `tries`: executions within one attempt, for tools that the system retries (ERR-03). `try`: the execution that a
   * hop belongs to.
   */
  readonly tries?: number
  readonly try?: number
  readonly cached?: boolean
  readonly note?: string
  /** Fields of a hop. The URL is redacted. */
  readonly hosts?: readonly string[]
  readonly url?: string
  readonly method?: string
  readonly address?: string
  readonly status?: number
  readonly bytes?: number
  /** Why the request was not sent, or its response was rejected. */
  readonly blocked?: string
  /** Error that ended the request. */
  readonly error?: string
}
