import type { ColumnType, Generated } from 'kysely'
import type { TurnKind, TurnState } from '../../domain/turn.ts'
import type { CreatedAt, NullableTime } from './times.ts'

export interface ConversationTable {
  id: string
  platform: string
  external_id: string
  created_at: CreatedAt
  /** Transient message that shows a turn, and the end of the current claim on it. */
  live_message_id: string | null
  live_turn_id: string | null
  live_until: NullableTime
  /** Worker whose box is to be restarted, and who requested it. */
  restart_box_of: string | null
  restart_box_by: string | null
  /** Worker chosen by `/worker`; null for the configured one. */
  worker: string | null
}

/** SLACK-01: way to answer a person in a conversation that the bot has not joined. */
export interface ReplyPathTable {
  conversation_id: string
  caller_id: string
  /** Encrypted by the platform's adapter. */
  sealed: string
  expires_at: Date
}

export interface SessionTable {
  id: string
  conversation_id: string
  worker: string
  state: Generated<'open' | 'closed'>
  calls_used: Generated<number>
  next_position: Generated<number>
  next_call_number: Generated<number>
  next_approval_number: Generated<number>
  next_grant_number: Generated<number>
  /** Model chosen by `/model`; null for the configured one. */
  model: string | null
  /** Replica that ran the last call and keeps the box warm. */
  box_replica: string | null
  /** Last time at which a file-changing call started or ended; infinity if something may change files at any time. */
  files_changed_at: ColumnType<unknown, never, never>
  created_at: CreatedAt
  closed_at: NullableTime
}

export interface TurnTable {
  id: string
  session_id: string
  kind: Generated<TurnKind>
  /** Command of a shell turn. */
  shell_command: string | null
  caller_id: string
  state: TurnState
  epoch: Generated<number>
  lease_owner: string | null
  lease_until: NullableTime
  next_due: NullableTime
  step: Generated<number>
  /** Number of holders lost since the last progress. */
  crashes: Generated<number>
  /** Number and start of failed model calls since the last progress. */
  model_failures: Generated<number>
  model_failing_since: NullableTime
  /** True if the fallback model has taken over. */
  on_fallback: Generated<boolean>
  /** SCH-02: tools shown to the model, as JSON: names, or "all". */
  shown_tools: string | null
  stopped_by: string | null
  failure: string | null
  created_at: CreatedAt
  ended_at: NullableTime
}

export interface MessageTable {
  id: string
  session_id: string
  turn_id: string | null
  /** Position in the transcript; null while unread. */
  position: number | null
  arrival: Generated<number>
  role: 'user' | 'assistant'
  author: string
  body: string
  /** LOOP-12: text that replaces its body in the transcript. */
  shortened: string | null
  /** LOOP-12: true if this step and its results are left out of the transcript. */
  is_left_out: Generated<boolean>
  created_at: CreatedAt
}

/** LOOP-12: summary that replaces the messages from `from_position` up to, but excluding, `to_position`. */
export interface TranscriptSummaryTable {
  id: string
  session_id: string
  /** Turn in which it was made. */
  turn_id: string
  from_position: number
  to_position: number
  /** Summary by a model, possibly together with an earlier one; null if the turns were dropped. */
  summary: string | null
  /** Text in the transcript. */
  body: string
  /** Counts since the session began. */
  turns: number
  messages: number
  /** JSON: names of people. */
  authors: string
  /** True if its turns could not be summarised. */
  is_dropped: boolean
  created_at: CreatedAt
}

export interface UsageTable {
  id: string
  session_id: string
  turn_id: string
  caller_id: string
  step: number
  provider: string
  model: string
  state: 'started' | 'done' | 'failed' | 'superseded'
  /** UTF-8 bytes of the prompt's text. */
  prompt_bytes: number | null
  /** LOOP-12: context budget at that time; null if unknown. */
  budget_tokens: number | null
  /** True if the provider refused the prompt as too long. */
  is_too_long: Generated<boolean>
  input_tokens: number | null
  output_tokens: number | null
  cache_read_tokens: number | null
  cache_write_tokens: number | null
  cost_usd: number | null
  created_at: CreatedAt
}

export interface InboundEventTable {
  id: string
  platform: string
  external_id: string
  arrival: Generated<number>
  conversation_id: string
  caller_id: string
  body: string
  received_at: CreatedAt
  /** True if the event waits for files that the same person sent before it. */
  in_line: Generated<boolean>
  album: string | null
  /** Earliest time of handling for rate-limited messages; null if not limited. */
  not_before: NullableTime
  handled_at: NullableTime
  /** Number of failed attempts to handle it. */
  attempts: Generated<number>
  failure: string | null
  /** Reply to the person who tapped. */
  answer: string | null
}

export interface OutboxTable {
  id: Generated<number>
  conversation_id: string
  body: string
  edit_of: number | null
  /** Caller whom it answers. In conversations that the bot has not joined only this person sees it. */
  addressee: string | null
  state: Generated<'pending' | 'sent' | 'dead'>
  external_message_id: string | null
  /** JSON: ids of the parts already sent. */
  parts: Generated<string>
  /** True for a card that was truncated. */
  is_cut: Generated<boolean>
  attempts: Generated<number>
  /** End of the current claim for sending it. */
  claimed_until: NullableTime
  not_before: ColumnType<Date, Date | undefined, Date>
  failure: string | null
  created_at: CreatedAt
  sent_at: NullableTime
}

/** LOOP-15: warning about or lift of a daily budget. */
export interface BudgetNoteTable {
  /** `caller:<id>` or `session:<id>`. */
  scope: string
  day: string
  kind: 'lifted' | 'warned toolCalls' | 'warned tokens' | 'warned cost'
  noted_by: string | null
  noted_at: CreatedAt
}
