import type { ColumnType, Generated, Kysely, Selectable } from 'kysely'
import type { ApprovalState } from '../domain/approval.ts'
import type { Role } from '../domain/caller.ts'
import type { Risk } from '../domain/risk.ts'
import type { CallState } from '../domain/tool-call.ts'
import type { TurnState } from '../domain/turn.ts'

type Made = ColumnType<Date, Date | undefined, never>
type Moment = ColumnType<Date | null, Date | null | undefined, Date | null>

interface CallerTable {
  id: string
  name: string
  role: Role
  created_at: Made
}

interface ConversationTable {
  id: string
  platform: string
  external_id: string
  created_at: Made
}

interface SessionTable {
  id: string
  conversation_id: string
  worker: string
  state: Generated<'open' | 'closed'>
  calls_used: Generated<number>
  next_position: Generated<number>
  next_call_number: Generated<number>
  next_approval_number: Generated<number>
  created_at: Made
  closed_at: Moment
}

interface TurnTable {
  id: string
  session_id: string
  kind: Generated<'message' | 'shell'>
  caller_id: string
  state: TurnState
  epoch: Generated<number>
  lease_owner: string | null
  lease_until: Moment
  next_due: Moment
  step: Generated<number>
  /** Holders that vanished since the last progress. */
  crashes: Generated<number>
  stopped_by: string | null
  failure: string | null
  created_at: Made
  ended_at: Moment
}

interface MessageTable {
  id: string
  session_id: string
  turn_id: string | null
  /** Place in the transcript; null while unread. */
  position: number | null
  arrival: Generated<number>
  role: 'user' | 'assistant'
  author: string
  body: string
  created_at: Made
}

interface UsageTable {
  id: string
  session_id: string
  turn_id: string
  caller_id: string
  step: number
  provider: string
  model: string
  state: 'started' | 'done' | 'failed' | 'superseded'
  input_tokens: number | null
  output_tokens: number | null
  cache_read_tokens: number | null
  cache_write_tokens: number | null
  cost_usd: number | null
  created_at: Made
}

interface InboundEventTable {
  id: string
  platform: string
  external_id: string
  arrival: Generated<number>
  conversation_id: string
  caller_id: string
  body: string
  received_at: Made
  handled_at: Moment
  /** Times that handling it failed. */
  attempts: Generated<number>
  failure: string | null
}

interface OutboxTable {
  id: Generated<number>
  conversation_id: string
  body: string
  edit_of: number | null
  state: Generated<'pending' | 'sent' | 'dead'>
  external_message_id: string | null
  attempts: Generated<number>
  /** Until when somebody who lives may be sending it. */
  claimed_until: Moment
  not_before: ColumnType<Date, Date | undefined, Date>
  failure: string | null
  created_at: Made
  sent_at: Moment
}

interface ToolCallTable {
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
  state: CallState
  verdict: string
  canonical: string | null
  attempt: Generated<number>
  sends: Generated<number>
  sent_at: Moment
  base_sha256: string | null
  preview: Generated<'none' | 'wanted' | 'done'>
  cancel_requested_at: Moment
  worker: string | null
  replica: string | null
  driver: string | null
  result: string | null
  is_error: boolean | null
  error_category: string | null
  output: string | null
  envelope: string | null
  exit_code: number | null
  truncated: boolean | null
  duration_ms: number | null
  created_at: Made
  queued_at: Moment
  started_at: Moment
  settled_at: Moment
}

interface ToolOverflowTable {
  id: string
  session_id: string
  call_id: string
  content: string
  characters: number
  created_at: Made
}

interface ApprovalTable {
  id: string
  call_id: string
  turn_id: string
  session_id: string
  conversation_id: string
  number: number
  caller_id: string
  tool: string
  arguments_sha256: string
  /** Whether the card told of a box that keeps commands in; a weaker one is a new question (INT-37). */
  confined: boolean
  risk: Risk
  always_patterns: string
  card: string
  card_outbox_id: number | null
  state: Generated<ApprovalState>
  /** What *Always* still has to do: cascade in the session, or also be written to the worker's rules. */
  always_effect: Generated<'none' | 'session' | 'worker' | 'done'>
  reason: string | null
  decided_by: string | null
  decided_at: Moment
  expires_at: ColumnType<Date, Date, Date>
  remind_at: Moment
  created_at: Made
}

interface ApprovalVoteTable {
  approval_id: string
  caller_id: string
  decision: string
  created_at: Made
}

interface ApprovalCardTable {
  approval_id: string
  outbox_id: number
}

interface GrantRuleTable {
  id: string
  session_id: string
  caller_id: string
  tool: string
  pattern: string
  approval_id: string | null
  granted_by: string
  created_at: Made
}

interface WorkerTable {
  name: string
  replica: string
  driver: string
  confined: boolean
  warnings: string
  box_workspace: string
  tools: string
  public_key: string
  seen_at: ColumnType<Date, Date | undefined, Date>
}

interface AuditLogTable {
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

interface AuditHeadTable {
  chain: string
  seq: number
  hash: string
  checked_seq: Generated<number>
}

interface AuditCheckpointTable {
  id: Generated<number>
  at: ColumnType<Date, Date, never>
  body: string
  kid: string
  signature: string
}

export interface Schema {
  caller: CallerTable
  conversation: ConversationTable
  session: SessionTable
  turn: TurnTable
  message: MessageTable
  usage: UsageTable
  inbound_event: InboundEventTable
  outbox: OutboxTable
  tool_call: ToolCallTable
  tool_overflow: ToolOverflowTable
  approval: ApprovalTable
  approval_vote: ApprovalVoteTable
  approval_card: ApprovalCardTable
  grant_rule: GrantRuleTable
  worker: WorkerTable
  audit_log: AuditLogTable
  audit_head: AuditHeadTable
  audit_checkpoint: AuditCheckpointTable
}

/** The database or a transaction on it: every query function takes it first. */
export type Db = Kysely<Schema>

export type ConversationRow = Selectable<ConversationTable>
export type SessionRow = Selectable<SessionTable>
export type TurnRow = Selectable<TurnTable>
export type MessageRow = Selectable<MessageTable>
export type InboundEventRow = Selectable<InboundEventTable>
export type OutboxRow = Selectable<OutboxTable>
export type ToolCallRow = Selectable<ToolCallTable>
export type ApprovalRow = Selectable<ApprovalTable>
export type WorkerRow = Selectable<WorkerTable>
export type AuditRow = Selectable<AuditLogTable>
