import type { ColumnType, Generated } from 'kysely'
import type { TurnKind, TurnState } from '../../domain/turn.ts'
import type { Made, Moment } from './moment.ts'

export interface ConversationTable {
  id: string
  platform: string
  external_id: string
  created_at: Made
  /** The passing message that shows a turn as it goes, and until when somebody may be changing one. */
  live_message_id: string | null
  live_turn_id: string | null
  live_until: Moment
  /** The worker whose box is to be restarted, and who asked. */
  restart_box_of: string | null
  restart_box_by: string | null
  /** The one that was chosen for it by `/worker`; null: the configured one. */
  worker: string | null
}

/** SLACK-01: how somebody who wrote in a conversation is answered where we are not. */
export interface ReplyPathTable {
  conversation_id: string
  caller_id: string
  /** As the platform's adapter sealed it. */
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
  /** The one that was chosen for it by `/model`; null: the configured one. */
  model: string | null
  /** The replica that ran its last call: its box is warm there. */
  box_replica: string | null
  /** When a call that may change files last began or ended; infinity: something may change them at any time. */
  files_changed_at: ColumnType<unknown, never, never>
  created_at: Made
  closed_at: Moment
}

export interface TurnTable {
  id: string
  session_id: string
  kind: Generated<TurnKind>
  /** A person's own command, where that is what the turn is. */
  shell_command: string | null
  caller_id: string
  state: TurnState
  epoch: Generated<number>
  lease_owner: string | null
  lease_until: Moment
  next_due: Moment
  step: Generated<number>
  /** Holders that vanished since the last progress. */
  crashes: Generated<number>
  /** Model calls that failed since the last progress, and since when. */
  model_failures: Generated<number>
  model_failing_since: Moment
  /** The second model goes on with it. */
  on_fallback: Generated<boolean>
  /** SCH-02: the tools that the model is shown in it, as JSON: names, or "all". */
  shown_tools: string | null
  stopped_by: string | null
  failure: string | null
  created_at: Made
  ended_at: Moment
}

export interface MessageTable {
  id: string
  session_id: string
  turn_id: string | null
  /** Place in the transcript; null while unread. */
  position: number | null
  arrival: Generated<number>
  role: 'user' | 'assistant'
  author: string
  body: string
  /** LOOP-12: stands for its text in the transcript, once it has made room. */
  shortened: string | null
  /** LOOP-12: a step that is not in the transcript any more, nor are its results. */
  is_left_out: Generated<boolean>
  created_at: Made
}

/** LOOP-12: stands for the messages of a session from `from_position` on, before `to_position`. */
export interface TranscriptSummaryTable {
  id: string
  session_id: string
  /** The turn in which it was made. */
  turn_id: string
  from_position: number
  to_position: number
  /** The words of a model; of an earlier one too, where these turns were dropped. */
  summary: string | null
  /** As the transcript has it. */
  body: string
  /** Turns and messages since the session began. */
  turns: number
  messages: number
  /** Names of people, as JSON. */
  authors: string
  /** No summary could be made of its turns. */
  is_dropped: boolean
  created_at: Made
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
  /** Of the prompt's text, in UTF-8. */
  prompt_bytes: number | null
  /** LOOP-12: the context budget at that time; null: none was known. */
  budget_tokens: number | null
  /** The server refused the prompt as longer than the model takes in. */
  is_too_long: Generated<boolean>
  input_tokens: number | null
  output_tokens: number | null
  cache_read_tokens: number | null
  cache_write_tokens: number | null
  cost_usd: number | null
  created_at: Made
}

export interface InboundEventTable {
  id: string
  platform: string
  external_id: string
  arrival: Generated<number>
  conversation_id: string
  caller_id: string
  body: string
  received_at: Made
  /** Read after the files that the same person sent before it. */
  in_line: Generated<boolean>
  album: string | null
  /** Who floods is slowed: it is not handled earlier. null: it need not wait whatever else was written. */
  not_before: Moment
  handled_at: Moment
  /** Times that handling it failed. */
  attempts: Generated<number>
  failure: string | null
  /** For a tap: the words for whoever tapped. */
  answer: string | null
}

export interface OutboxTable {
  id: Generated<number>
  conversation_id: string
  body: string
  edit_of: number | null
  /** Whom it answers, where that is somebody: where we are not, it goes to them alone. */
  addressee: string | null
  state: Generated<'pending' | 'sent' | 'dead'>
  external_message_id: string | null
  /** Ids of the parts that went already, as JSON. */
  parts: Generated<string>
  /** A card of which not all could be shown. */
  is_cut: Generated<boolean>
  attempts: Generated<number>
  /** Until when somebody who lives may be sending it. */
  claimed_until: Moment
  not_before: ColumnType<Date, Date | undefined, Date>
  failure: string | null
  created_at: Made
  sent_at: Moment
}

/** LOOP-15: what was told or lifted of a budget on a day. */
export interface BudgetNoteTable {
  /** `caller:<id>` or `session:<id>`. */
  scope: string
  day: string
  kind: 'lifted' | 'warned toolCalls' | 'warned tokens' | 'warned cost'
  noted_by: string | null
  noted_at: Made
}
