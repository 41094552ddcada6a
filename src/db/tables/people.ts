import type { ColumnType, Generated } from 'kysely'
import type { Role } from '../../domain/caller.ts'
import type { Made, Moment } from './moment.ts'

export interface CallerTable {
  id: string
  name: string
  /** In force now: the highest that the configuration or a pairing gives. */
  role: Role
  paired_role: Role | null
  /** Where they alone are reached, once they have written there. */
  private_conversation_id: string | null
  /** Until then their questions go to others. */
  away_until: Moment
  created_at: Made
}

/** A username of the configuration, resolved once to the account that had it then. */
/** CHAT-01: the team whose people a platform's are, where it has teams. */
export interface PlatformTeamTable {
  platform: string
  team: string
  since: ColumnType<Date, Date | undefined>
}

export interface UsernamePinTable {
  platform: string
  username: string
  caller_id: string
  pinned_at: Made
}

/** An account that is not a person's only one: those with the same `person` are one. */
export interface CallerLinkTable {
  caller_id: string
  person: string
  /** The account that sent the code, or the operator's. */
  linked_by: string
  linked_at: Made
}

export interface PairingCodeTable {
  code_sha256: string
  /** What it gives, or else the account with which it links whoever sends it. */
  role: Role | null
  links: string | null
  /** The account that was asked last whether it is to be linked. */
  asked: string | null
  created_at: Made
  expires_at: ColumnType<Date, Date, never>
  used_by: string | null
  used_at: Moment
}

export interface PairingTryTable {
  id: Generated<number>
  caller_id: string
  at: Made
}

/** What a program of the API proves itself by; the token itself is with that program only. */
export interface ApiTokenTable {
  token_sha256: string
  caller_id: string
  created_at: Made
  last_used_at: Moment
}

/** Strangers that were told who we are not. */
export interface StrangerTable {
  caller_id: string
  told_at: ColumnType<Date, Date, Date>
}

/** Who alone does something: polls a platform, say. */
export interface LeaseTable {
  name: string
  owner: string
  held_until: ColumnType<Date, Date, Date>
}
