import type { Kysely, Selectable } from 'kysely'
import type {
  ApprovalAskedTable,
  ApprovalBatchTable,
  ApprovalCardTable,
  ApprovalShowingTable,
  ApprovalTable,
  ApprovalVoteTable,
  AttachmentTable,
  CallbackTokenTable,
  EditWindowTable,
  FileGrantTable,
  GrantRuleTable,
  RulesOrderTable,
} from './tables/approvals.ts'
import type {
  AuditCallsView,
  AuditCheckpointTable,
  AuditCutTable,
  AuditHeadTable,
  AuditLogTable,
  AuditPeopleView,
  AuditPersonTable,
  AuditVerificationTable,
} from './tables/audit.ts'
import type {
  ResultCacheTable,
  ToolCallTable,
  ToolOverflowTable,
  WorkerTable,
} from './tables/calls.ts'
import type {
  BudgetNoteTable,
  ConversationTable,
  InboundEventTable,
  MessageTable,
  OutboxTable,
  ReplyPathTable,
  SessionTable,
  TranscriptSummaryTable,
  TurnTable,
  UsageTable,
} from './tables/conversations.ts'
import type {
  ApiTokenTable,
  CallerLinkTable,
  CallerTable,
  LeaseTable,
  PairingCodeTable,
  PairingTryTable,
  PlatformTeamTable,
  StrangerTable,
  UsernamePinTable,
} from './tables/people.ts'
import type { WorkerPermissionsPastTable, WorkerPermissionsTable } from './tables/permissions.ts'
import type { AgentTable } from './tables/processes.ts'
import type {
  ModelStandingTable,
  ToolIncidentTable,
  ToolOutcomeTable,
  ToolTrustTable,
} from './tables/trust.ts'
import type { UploadTable } from './tables/uploads.ts'

export interface Schema {
  caller: CallerTable
  caller_link: CallerLinkTable
  username_pin: UsernamePinTable
  platform_team: PlatformTeamTable
  pairing_code: PairingCodeTable
  pairing_try: PairingTryTable
  api_token: ApiTokenTable
  stranger: StrangerTable
  lease: LeaseTable
  conversation: ConversationTable
  reply_path: ReplyPathTable
  session: SessionTable
  turn: TurnTable
  message: MessageTable
  transcript_summary: TranscriptSummaryTable
  usage: UsageTable
  budget_note: BudgetNoteTable
  inbound_event: InboundEventTable
  outbox: OutboxTable
  tool_call: ToolCallTable
  tool_overflow: ToolOverflowTable
  result_cache: ResultCacheTable
  approval: ApprovalTable
  approval_batch: ApprovalBatchTable
  approval_vote: ApprovalVoteTable
  edit_window: EditWindowTable
  approval_asked: ApprovalAskedTable
  approval_card: ApprovalCardTable
  approval_showing: ApprovalShowingTable
  callback_token: CallbackTokenTable
  attachment: AttachmentTable
  upload: UploadTable
  grant_rule: GrantRuleTable
  tool_trust: ToolTrustTable
  tool_outcome: ToolOutcomeTable
  tool_incident: ToolIncidentTable
  model_standing: ModelStandingTable
  file_grant: FileGrantTable
  rules_order: RulesOrderTable
  agent: AgentTable
  worker: WorkerTable
  worker_permissions: WorkerPermissionsTable
  worker_permissions_past: WorkerPermissionsPastTable
  audit_log: AuditLogTable
  audit_head: AuditHeadTable
  audit_checkpoint: AuditCheckpointTable
  audit_calls: AuditCallsView
  audit_cut: AuditCutTable
  audit_person: AuditPersonTable
  audit_people: AuditPeopleView
  audit_verification: AuditVerificationTable
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
export type TranscriptSummaryRow = Selectable<TranscriptSummaryTable>
export type InboundEventRow = Selectable<InboundEventTable>
export type OutboxRow = Selectable<OutboxTable>
export type ReplyPathRow = Selectable<ReplyPathTable>
export type ToolCallRow = Selectable<ToolCallTable>
export type ApprovalRow = Selectable<ApprovalTable>
export type ApprovalBatchRow = Selectable<ApprovalBatchTable>
export type AgentRow = Selectable<AgentTable>
export type WorkerRow = Selectable<WorkerTable>
export type AuditRow = Selectable<AuditLogTable>
