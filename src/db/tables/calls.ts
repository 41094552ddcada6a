import type { ColumnType, Generated } from 'kysely'
import type { CallState } from '../../domain/tool/tool-call.ts'
import type { CreatedAt, NullableTime } from './times.ts'

export interface ToolCallTable {
  id: string
  session_id: string
  turn_id: string
  message_id: string | null
  number: number
  step: number
  ordinal: number
  model_call_id: string
  tool: string
  arguments: string
  arguments_sha256: string
  mutating: boolean
  /** MODEL-02: the model wrote it as a block in its text. */
  in_text: Generated<boolean>
  /** Arguments by the model, if a person changed them (APPR-14). */
  original_arguments: string | null
  edited_by: string | null
  edited_at: NullableTime
  /** True if the editor's approval of the next card is not counted yet. */
  editor_votes: Generated<boolean>
  state: CallState
  verdict: string
  /** POL-05: verdict of the reviewer as JSON; null if not reviewed. */
  review: string | null
  canonical: string | null
  /** JSON: ids of grants of which the call took a use; null for none. */
  spent_grants: string | null
  attempt: Generated<number>
  sends: Generated<number>
  /** Last attempt with an audited late result. */
  late_attempt: Generated<number>
  /** Number of times it came back unexecuted although its job was still valid. */
  turned_back: Generated<number>
  sent_at: NullableTime
  base_sha256: string | null
  preview: Generated<'none' | 'wanted' | 'done'>
  cancel_requested_at: NullableTime
  worker: string | null
  replica: string | null
  driver: string | null
  /** MCP-01: digest of the server's tool that the call was sent for; null for other tools. */
  pin: string | null
  result: string | null
  /** LOOP-12: line that replaces the result in the transcript. */
  compacted: string | null
  /** LOOP-12: JSON that replaces the arguments in the transcript. */
  compacted_arguments: string | null
  /** OUT-13: summary by a model that replaces the result before compaction, and its state. */
  summary: string | null
  summary_state: 'wanted' | 'done' | 'failed' | null
  is_error: boolean | null
  error_category: string | null
  output: string | null
  envelope: string | null
  exit_code: number | null
  truncated: boolean | null
  duration_ms: number | null
  /** OUT-11: key of the cached result; null if not cached. */
  cache_key: string | null
  /** Call whose cached result may answer this one; once settled, the one that did. */
  cached_from: string | null
  /** Number of executions within the attempt, for tools that are retried (ERR-03). */
  tries: number | null
  /** OUT-06: applied filters as JSON (`[{name, confidence}]`); null if none applied. */
  filters: string | null
  filter_confidence: 'full' | 'partial' | 'fallback' | null
  /** Number of output lines before and after filtering. */
  lines_before: number | null
  lines_after: number | null
  created_at: CreatedAt
  queued_at: NullableTime
  started_at: NullableTime
  settled_at: NullableTime
}

export interface ToolOverflowTable {
  id: string
  session_id: string
  call_id: string
  content: string
  characters: number
  /** Full output of the call, or text removed from the transcript (LOOP-12). */
  kind: 'whole' | 'compacted'
  created_at: CreatedAt
}

/** OUT-11: result cache of a session. */
export interface ResultCacheTable {
  session_id: string
  key: string
  /** Call that produced the result. */
  call_id: string
  /**
   * Turn and file state of a result that depends on files; it is valid only within this turn and while the files are
   * unchanged.
   */
  turn_id: string | null
  fingerprint: string | null
  created_at: ColumnType<Date, Date | undefined, Date>
}

export interface WorkerTable {
  name: string
  replica: string
  driver: string
  confined: boolean
  warnings: string
  box_workspace: string
  tools: string
  public_key: string
  seen_at: ColumnType<Date, Date | undefined, Date>
  /** Counter of its announcements; an older one that arrives later is ignored. */
  beat: Generated<number>
  /** Time of the announcement by the replica's clock. */
  said_at: NullableTime
}
