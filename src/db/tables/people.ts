import type { ColumnType, Generated } from 'kysely'
import type { Role } from '../../domain/caller.ts'
import type { Made, Moment } from './moment.ts'

export interface CallerTable {
  id: string
  name: string
  /** In force now: the highest that the configuration or a pairing gives. */
  role: Role
  paired_role: Role | null
  created_at: Made
}

/** A username of the configuration, resolved once to the account that had it then. */
export interface UsernamePinTable {
  platform: string
  username: string
  caller_id: string
  pinned_at: Made
}

export interface PairingCodeTable {
  code_sha256: string
  role: Role
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
