import type { ColumnType, Generated } from 'kysely'
import type { ApprovalState } from '../../domain/approval.ts'
import type { ButtonAction } from '../../domain/button-action.ts'
import type { GrantLife } from '../../domain/grant-life.ts'
import type { Risk } from '../../domain/risk.ts'
import type { Made, Moment } from './moment.ts'

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
  /** Whether the card told of a box that keeps commands in; a weaker one is a new question (INT-37). */
  confined: boolean
  risk: Risk
  always_patterns: string
  /** JSON: by pattern the questions that a grant wins over; null: asked before they were stored. */
  always_beats: string | null
  card: string
  card_outbox_id: number | null
  state: Generated<ApprovalState>
  /** What *Always* still has to do: cascade in the session, or also be written to the worker's rules. */
  always_effect: Generated<'none' | 'session' | 'worker' | 'done'>
  /** How long what was granted with the answer lives; null: nothing was. */
  life: GrantLife | null
  reason: string | null
  decided_by: string | null
  decided_at: Moment
  expires_at: ColumnType<Date, Date, Date>
  remind_at: Moment
  /** What the operator's patterns for quorums are matched against, in JSON. */
  subject: Generated<string>
  /** When the next of those whom it escalates to is asked; null: never. */
  escalate_at: Moment
  /** How many of them were. */
  escalated: Generated<number>
  /** Denied, and until then whoever denied it may still say why; the call is settled after it. */
  reason_until: Moment
  /** It is asked together with others, on one card. */
  batch_id: string | null
  created_at: Made
}

/** Questions of one step that are asked together. */
export interface ApprovalBatchTable {
  id: string
  session_id: string
  conversation_id: string
  /** JSON of the file with all that they ask, where the card has no room for it. */
  file: string | null
  created_at: Made
}

export interface ApprovalVoteTable {
  approval_id: string
  caller_id: string
  decision: string
  /** Of what *Always* grants. */
  life: GrantLife | null
  created_at: ColumnType<Date, Date | undefined, Date>
}

/** Somebody who was asked by name, beside those who may answer anyway. */
export interface ApprovalAskedTable {
  approval_id: string
  caller_id: string
  asked_at: Made
}

export interface ApprovalCardTable {
  approval_id: string
  outbox_id: number
  /** The message shows it as one of several. */
  is_batch: Generated<boolean>
}

/** A question that was sent whole to the holder of a token, otherwise than as a card of a conversation. */
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
  /** JSON: the questions that it wins over; null: given before they were stored. */
  beats: string | null
  approval_id: string | null
  granted_by: string
  /** Within the session; `/revoke` takes it. */
  number: number
  life: Generated<GrantLife>
  /** The only turn that it holds for. */
  turn_id: string | null
  expires_at: Moment
  uses_left: number | null
  revoked_at: Moment
  revoked_by: string | null
  created_at: Made
}

/** A rule that *Always* wrote into a worker's file, as it was listed. */
export interface FileGrantTable {
  id: string
  worker: string
  /** Of the worker's; it stays as long as the rule does. */
  number: number
  tool: string
  pattern: string
  created_at: Made
}

/** What a person wants done with what *Always* wrote into a worker's file: listed, or, with a `file_grant_id`, taken out. */
export interface RulesOrderTable {
  id: string
  session_id: string
  /** Where it is answered. */
  conversation_id: string
  caller_id: string
  file_grant_id: string | null
  created_at: Made
}

/** A button that was shown; the token itself is on the platform only. */
export interface CallbackTokenTable {
  token_sha256: string
  /** Of exactly one of these five. */
  approval_id: string | null
  batch_id: string | null
  grant_id: string | null
  file_grant_id: string | null
  turn_id: string | null
  action: ButtonAction
  conversation_id: string
  created_at: Made
}

export interface AttachmentTable {
  id: string
  conversation_id: string
  name: string
  content: Buffer
  sha256: string
  /** OUT-10: made of what a tool gave, for whoever asked. */
  is_output: Generated<boolean>
  /** Of an output: when it was last asked for. */
  created_at: ColumnType<Date, Date | undefined, Date>
}

/** Somebody who may change what a question asks about by a reply to its card. */
export interface EditWindowTable {
  approval_id: string
  caller_id: string
  ends_at: ColumnType<Date, Date, Date>
}
