import type { Kysely, Selectable } from 'kysely'
import type {
  ApprovalCardTable,
  ApprovalTable,
  ApprovalVoteTable,
  AttachmentTable,
  CallbackTokenTable,
  GrantRuleTable,
} from './tables/approvals.ts'
import type {
  AuditCheckpointTable,
  AuditCutTable,
  AuditHeadTable,
  AuditLogTable,
} from './tables/audit.ts'
import type { ToolCallTable, ToolOverflowTable, WorkerTable } from './tables/calls.ts'
import type {
  ConversationTable,
  InboundEventTable,
  MessageTable,
  OutboxTable,
  SessionTable,
  TurnTable,
  UsageTable,
} from './tables/conversations.ts'
import type {
  CallerTable,
  LeaseTable,
  PairingCodeTable,
  PairingTryTable,
  StrangerTable,
  UsernamePinTable,
} from './tables/people.ts'
import type { AgentTable } from './tables/processes.ts'

export interface Schema {
  caller: CallerTable
  username_pin: UsernamePinTable
  pairing_code: PairingCodeTable
  pairing_try: PairingTryTable
  stranger: StrangerTable
  lease: LeaseTable
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
  callback_token: CallbackTokenTable
  attachment: AttachmentTable
  grant_rule: GrantRuleTable
  agent: AgentTable
  worker: WorkerTable
  audit_log: AuditLogTable
  audit_head: AuditHeadTable
  audit_checkpoint: AuditCheckpointTable
  audit_cut: AuditCutTable
}

/** The database or a transaction on it: every query function takes it first. */
export type Db = Kysely<Schema>

/** A place where people talk to us; what passes there is read apart. */
export type ConversationRow = Omit<
  Selectable<ConversationTable>,
  'live_message_id' | 'live_turn_id' | 'live_until' | 'restart_box_of' | 'restart_box_by'
>
export type SessionRow = Selectable<SessionTable>
export type TurnRow = Selectable<TurnTable>
export type MessageRow = Selectable<MessageTable>
export type InboundEventRow = Selectable<InboundEventTable>
export type OutboxRow = Selectable<OutboxTable>
export type ToolCallRow = Selectable<ToolCallTable>
export type ApprovalRow = Selectable<ApprovalTable>
export type AgentRow = Selectable<AgentTable>
export type WorkerRow = Selectable<WorkerTable>
export type AuditRow = Selectable<AuditLogTable>
