import type { ColumnType, Generated } from 'kysely'
import type { Role } from '../../domain/caller.ts'
import type { CreatedAt, NullableTime } from './times.ts'

export interface CallerTable {
  id: string
  name: string
  /** Current role: the highest given by the configuration or a pairing. */
  role: Role
  paired_role: Role | null
  /** Private conversation, once the person has written there. */
  private_conversation_id: string | null
  /** While away, the person's approvals go to others. */
  away_until: NullableTime
  created_at: CreatedAt
}

/** CHAT-01: team of a platform's people, for platforms with teams. */
export interface PlatformTeamTable {
  platform: string
  team: string
  since: ColumnType<Date, Date | undefined>
}

/** Configured username, resolved once to the account that had it then. */
export interface UsernamePinTable {
  platform: string
  username: string
  caller_id: string
  pinned_at: CreatedAt
}

/** Linked account; accounts with the same `person` belong together. */
export interface CallerLinkTable {
  caller_id: string
  person: string
  /** Account that sent the code, or the operator's. */
  linked_by: string
  linked_at: CreatedAt
}

export interface PairingCodeTable {
  code_sha256: string
  /** Role that the code gives; otherwise `links` is the account to link its sender with. */
  role: Role | null
  links: string | null
  /** Account that was last asked to confirm the link. */
  asked: string | null
  created_at: CreatedAt
  expires_at: ColumnType<Date, Date, never>
  used_by: string | null
  used_at: NullableTime
}

export interface PairingTryTable {
  id: Generated<number>
  caller_id: string
  at: CreatedAt
}

/** Credential of an API program; only the program has the token itself. */
export interface ApiTokenTable {
  token_sha256: string
  caller_id: string
  created_at: CreatedAt
  last_used_at: NullableTime
}

/** Unknown callers that got a reply. */
export interface StrangerTable {
  caller_id: string
  told_at: ColumnType<Date, Date, Date>
}

/** Exclusive permission, for example to poll a platform. */
export interface LeaseTable {
  name: string
  owner: string
  held_until: ColumnType<Date, Date, Date>
}
