import { findConfiguredRoles } from '../../app/list-people.ts'
import { peopleOf } from '../../app/people-of.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { record } from '../../core/audit/record.ts'
import { inTransaction } from '../../db/database.ts'
import { deleteApiToken } from '../../db/people/api-tokens.ts'
import { endPairing, findKnownCaller } from '../../db/people/callers.ts'
import { lockPairing } from '../../db/people/pairing.ts'
import type { Role } from '../../domain/caller.ts'
import { CommandError } from '../../domain/command-error.ts'

export interface RevokeInput extends CommandInput {
  readonly callerId: string
  readonly signal: AbortSignal
}

export interface RevokedPairing {
  readonly name: string
  readonly revoked: Role
  /** Role that the configuration still gives. */
  readonly left?: Role
}

/** Removes the role given by a pairing. Throws CommandError if there is none. */
export function revokePairing({ callerId, ...input }: RevokeInput): Promise<RevokedPairing> {
  return withDatabase(input, ({ db }) =>
    inTransaction(db, async (trx) => {
      await lockPairing(trx)
      const left = (await findConfiguredRoles(trx, peopleOf(input.config))).get(callerId)
      const known = await findKnownCaller(trx, callerId)
      const revoked = known?.pairedRole ?? undefined
      if (known === undefined || revoked === undefined) throw notPaired(callerId, left)
      await endPairing(trx, callerId, left ?? 'user')
      await deleteApiToken(trx, callerId)
      await record(trx, {
        kind: 'command',
        chain: 'system',
        caller_id: `console:${input.environment.user}`,
        note: `revoked the role ${revoked} that ${callerId} had by pairing`,
      })
      return { name: known.name, revoked, ...(left !== undefined && { left }) }
    }),
  )
}

function notPaired(callerId: string, left: Role | undefined): CommandError {
  const who = JSON.stringify(callerId)
  return new CommandError(
    left === undefined
      ? `${who} has no role: countersign pair list shows who has one`
      : `${who} has no role by pairing; the configuration gives the role ${left}: take them out of it there`,
    { code: 'NOT_PAIRED' },
  )
}
