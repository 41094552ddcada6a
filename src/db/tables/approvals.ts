import type { ColumnType, Generated } from 'kysely'
import type { ApprovalState, ButtonAction } from '../../domain/approval.ts'
import type { GrantLife } from '../../domain/grant-life.ts'
import type { Risk } from '../../domain/verdict.ts'
import type { CreatedAt, NullableTime } from './times.ts'

export interface ApprovalTable {
  id: string
  call_id: string
  turn_id: string
  session_id: string
  conversation_id: string
  number: number
  caller_id: string
  tool: string
  arguments_sha256: string
  /** True if the card stated a confining box; a weaker box needs a new approval (INT-37). */
  confined: boolean
  risk: Risk
  always_patterns: string
  /** JSON: ask rules that a grant overrides, by pattern; null for older approvals. */
  always_beats: string | null
  card: string
  card_outbox_id: number | null
  state: Generated<ApprovalState>
  /** Remaining effect of *Always*: apply it in the session, or also write it to the worker's rules. */
  always_effect: Generated<'none' | 'session' | 'worker' | 'done'>
  /** Lifetime of the grant given with the answer; null if none was given. */
  life: GrantLife | null
  reason: string | null
  decided_by: string | null
  decided_at: NullableTime
  expires_at: ColumnType<Date, Date, Date>
  remind_at: NullableTime
  /** JSON: values that the operator's quorum patterns are matched against. */
  subject: Generated<string>
  /** True if the card proposes a rule, as calls like this were approved often (CARD-07). */
  offers_rule: Generated<boolean>
  /** Time of the next escalation; null for never. */
  escalate_at: NullableTime
  /** Number of people already asked. */
  escalated: Generated<number>
  /** End of the time in which a denial may get a reason; the call is settled after it. */
  reason_until: NullableTime
  /** Batch in which the approval is shown. */
  batch_id: string | null
  created_at: CreatedAt
}

/** Approvals of one step that are shown together. */
export interface ApprovalBatchTable {
  id: string
  session_id: string
  conversation_id: string
  /** JSON of the file with the full text, if the card has no room for it. */
  file: string | null
  created_at: CreatedAt
}

export interface ApprovalVoteTable {
  approval_id: string
  caller_id: string
  decision: string
  /** Lifetime of the grant, for *Always*. */
  life: GrantLife | null
  created_at: ColumnType<Date, Date | undefined, Date>
}

/** Person who was asked by name, in addition to those who may answer anyway. */
export interface ApprovalAskedTable {
  approval_id: string
  caller_id: string
  asked_at: CreatedAt
}

export interface ApprovalCardTable {
  approval_id: string
  outbox_id: number
  /** True if the message shows it in a batch. */
  is_batch: Generated<boolean>
}

/** Approval that was sent in full to the holder of a token, not as a card of a conversation. */
export interface ApprovalShowingTable {
  approval_id: string
  caller_id: string
  shown_at: ColumnType<Date, Date | undefined, Date>
}

export interface GrantRuleTable {
  id: string
  session_id: string
  caller_id: string
  tool: string
  pattern: string
  /** JSON: ask rules that it overrides; null for older grants. */
  beats: string | null
  approval_id: string | null
  granted_by: string
  /** Number within the session, which `/revoke` takes. */
  number: number
  life: Generated<GrantLife>
  /** Only turn to which the grant applies. */
  turn_id: string | null
  expires_at: NullableTime
  uses_left: number | null
  revoked_at: NullableTime
  revoked_by: string | null
  created_at: CreatedAt
}

/** Rule that *Always* wrote into a worker's file, as it was listed. */
export interface FileGrantTable {
  id: string
  worker: string
  /** Number among the worker's rules, stable while the rule exists. */
  number: number
  tool: string
  pattern: string
  created_at: CreatedAt
}

/** Requested operation on the rules that *Always* wrote into a worker's file: list them, or remove `file_grant_id`. */
export interface RulesOrderTable {
  id: string
  session_id: string
  /** Conversation that receives the reply. */
  conversation_id: string
  caller_id: string
  file_grant_id: string | null
  created_at: CreatedAt
}

/** Button that was shown; only the platform has the token itself. */
export interface CallbackTokenTable {
  token_sha256: string
  /** Exactly one of these five is set. */
  approval_id: string | null
  batch_id: string | null
  grant_id: string | null
  file_grant_id: string | null
  turn_id: string | null
  action: ButtonAction
  conversation_id: string
  created_at: CreatedAt
}

export interface AttachmentTable {
  id: string
  conversation_id: string
  name: string
  content: Buffer
  sha256: string
  /** OUT-10: created from the output of a tool, for a person who asked for it. */
  is_output: Generated<boolean>
  /** Creation; of an output: its last request. */
  created_at: ColumnType<Date, Date | undefined, Date>
}

/** Permission of a person to change the arguments by a reply to the card. */
export interface EditWindowTable {
  approval_id: string
  caller_id: string
  ends_at: ColumnType<Date, Date, Date>
}
