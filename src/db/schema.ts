import type { ColumnType, Generated, Kysely, Selectable } from 'kysely'
import type { UploadState } from '../domain/upload.ts'
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
import type { Made, Moment } from './tables/moment.ts'
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

interface WorkerPermissionsTable {
  worker: string
  text: string
  /** Given by the database, anew at every change. */
  version: Generated<number>
  updated_at: ColumnType<Date, never, never>
  updated_by: string | null
}

/** What stood there before, the last hundred texts of each worker. */
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
  /** JSON: further models by their names, from which people choose. */
  models: ColumnType<string, string | undefined, string>
  /** JSON: what people should know of its rules. */
  warnings: string
  /** Verifies what it says live: Ed25519, SPKI PEM. */
  live_key: string
  seen_at: ColumnType<Date, Date | undefined, Date>
  /** The machine or container; like the rest null for one that is too old to say so. */
  host: ColumnType<string | null, string, string>
  /** The worker whose rules it tells of. */
  rules_worker: ColumnType<string | null, string, string>
  /** Where a person finds them. */
  rules_path: ColumnType<string | null, string, string>
  rules_sha256: ColumnType<string | null, string, string>
  /** When it began to work with these. */
  rules_since: ColumnType<Date | null, Date, Date>
}

/** A file that somebody sent. */
interface UploadTable {
  id: string
  /** What it came with. */
  inbound_event_id: string
  ordinal: number
  name: string
  media_type: string | null
  /** By which its platform gives it out. */
  reference: string
  album: string | null
  /** As its platform says. */
  announced_bytes: number | null
  state: Generated<UploadState>
  attachment_id: string | null
  /** For whom it is to be put into the workspace. */
  message_id: string | null
  /** The call that puts it there. */
  call_id: string | null
  /** Why it was refused, in words for a person. */
  failure: string | null
  /** Times that fetching it failed. */
  attempts: Generated<number>
  not_before: ColumnType<Date, Date | undefined, Date>
  /** Until when somebody who lives may be fetching it. */
  claimed_until: Moment
  created_at: Made
}
