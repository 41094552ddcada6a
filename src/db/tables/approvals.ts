import type { ColumnType, Generated } from 'kysely'
import type { ApprovalState, CardAction } from '../../domain/approval.ts'
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
  /** Denied, and until then whoever denied it may still say why; the call is settled after it. */
  reason_until: Moment
  created_at: Made
}

export interface ApprovalVoteTable {
  approval_id: string
  caller_id: string
  decision: string
  created_at: Made
}

export interface ApprovalCardTable {
  approval_id: string
  outbox_id: number
}

export interface GrantRuleTable {
  id: string
  session_id: string
  caller_id: string
  tool: string
  pattern: string
  approval_id: string | null
  granted_by: string
  created_at: Made
}

/** A button that was shown; the token itself is on the platform only. */
export interface CallbackTokenTable {
  token_sha256: string
  approval_id: string
  action: CardAction
  conversation_id: string
  created_at: Made
}

export interface AttachmentTable {
  id: string
  conversation_id: string
  name: string
  content: Buffer
  sha256: string
  created_at: Made
}
