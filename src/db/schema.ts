import type { ColumnType, Generated, Kysely, Selectable } from 'kysely'
import type { UploadState } from '../domain/upload-name.ts'
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
import type { McpServerTable, McpToolTable } from './tables/mcp.ts'
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
import type { CreatedAt, NullableTime } from './tables/times.ts'
import type {
  ModelStandingTable,
  ToolIncidentTable,
  ToolOutcomeTable,
  ToolTrustTable,
} from './tables/trust.ts'

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
  mcp_server: McpServerTable
  mcp_tool: McpToolTable
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

/** Database or transaction. Every query function takes it first. */
export type Db = Kysely<Schema>

/** Conversation with people, without the columns of transient messages and box restarts, which are read separately. */
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

interface WorkerPermissionsTable {
  worker: string
  text: string
  /** Set by the database at every change. */
  version: Generated<number>
  updated_at: ColumnType<Date, never, never>
  updated_by: string | null
}

/** Previous texts, the last hundred of each worker. */
interface WorkerPermissionsPastTable {
  worker: string
  version: number
  text: string
  updated_at: Date
  updated_by: string | null
}

interface AgentTable {
  id: string
  model: string
  /** JSON: further models by name, from which people choose. */
  models: ColumnType<string, string | undefined, string>
  /** JSON: warnings about its rules for people. */
  warnings: string
  /** Public key that verifies its live events: Ed25519, SPKI PEM. */
  live_key: string
  seen_at: ColumnType<Date, Date | undefined, Date>
  /** Host name of the machine or container; this and the following columns are null for old agents. */
  host: ColumnType<string | null, string, string>
  /** Worker whose rules follow. */
  rules_worker: ColumnType<string | null, string, string>
  /** Location of the rules for people. */
  rules_path: ColumnType<string | null, string, string>
  rules_sha256: ColumnType<string | null, string, string>
  /** Time since which the agent uses these rules. */
  rules_since: ColumnType<Date | null, Date, Date>
}

/** File that a person sent. */
interface UploadTable {
  id: string
  /** Event that the file came with. */
  inbound_event_id: string
  ordinal: number
  name: string
  media_type: string | null
  /** Key by which the platform's adapter fetches it. */
  reference: string
  album: string | null
  /** Size reported by the platform. */
  announced_bytes: number | null
  state: Generated<UploadState>
  attachment_id: string | null
  /** Message whose session's workspace gets the file. */
  message_id: string | null
  /** Call that writes the file. */
  call_id: string | null
  /** Why the file was refused, in words for a person. */
  failure: string | null
  /** Number of failed attempts to fetch it. */
  attempts: Generated<number>
  not_before: ColumnType<Date, Date | undefined, Date>
  /** End of the current claim for fetching it. */
  claimed_until: NullableTime
  created_at: CreatedAt
}
