import type { ColumnType, Generated } from 'kysely'
import type { CallState } from '../../domain/tool/tool-call.ts'
import type { Made, Moment } from './moment.ts'

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
  /** What the model asked for, where a person changed it (APPR-14). */
  original_arguments: string | null
  edited_by: string | null
  edited_at: Moment
  /** Whoever changed it has a vote on its next question that is not counted yet. */
  editor_votes: Generated<boolean>
  state: CallState
  verdict: string
  /** POL-05: what the reviewer said, in JSON; null: it was not reviewed. */
  review: string | null
  canonical: string | null
  /** Ids of the grants of which it took a use, in JSON; null: none. */
  spent_grants: string | null
  attempt: Generated<number>
  sends: Generated<number>
  /** The last attempt of which a late result was recorded. */
  late_attempt: Generated<number>
  /** How often it came back untouched although its job was still good. */
  turned_back: Generated<number>
  sent_at: Moment
  base_sha256: string | null
  preview: Generated<'none' | 'wanted' | 'done'>
  cancel_requested_at: Moment
  worker: string | null
  replica: string | null
  driver: string | null
  result: string | null
  /** LOOP-12: what stands for the result in the transcript, once it has made room. */
  compacted: string | null
  /** The same for the arguments. */
  compacted_arguments: string | null
  /** OUT-13: what stands for the result before that, made by a model; and whether it is still to be made. */
  summary: string | null
  summary_state: 'wanted' | 'done' | 'failed' | null
  is_error: boolean | null
  error_category: string | null
  output: string | null
  envelope: string | null
  exit_code: number | null
  truncated: boolean | null
  duration_ms: number | null
  /** OUT-11: by which its result is found again; null: it is not kept. */
  cache_key: string | null
  /** The call whose result it may be answered with; once it is settled: was. */
  cached_from: string | null
  /** How often the worker ran it within its attempt, where failures are tried again (ERR-03). */
  tries: number | null
  /** OUT-06: which filters its output went through, in JSON (`[{name, confidence}]`); null: none was for it. */
  filters: string | null
  filter_confidence: 'full' | 'partial' | 'fallback' | null
  /** Lines of the output before and after filters. */
  lines_before: number | null
  lines_after: number | null
  created_at: Made
  queued_at: Moment
  started_at: Moment
  settled_at: Moment
}

export interface ToolOverflowTable {
  id: string
  session_id: string
  call_id: string
  content: string
  characters: number
  /** All that the call gave; or what made room in the transcript (LOOP-12). */
  kind: 'whole' | 'compacted'
  created_at: Made
}

/** OUT-11: what a session remembers, by key. */
export interface ResultCacheTable {
  session_id: string
  key: string
  /** Whose result it is. */
  call_id: string
  /** Of what was made from files, which is good within this turn alone, and as long as they are as they were. */
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
  /** Counts what it said of itself: an older one that comes again changes nothing. */
  beat: Generated<number>
  /** When it said so, by its own clock. */
  said_at: Moment
}
