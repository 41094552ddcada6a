import { randomBytes } from 'node:crypto'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { record } from '../../core/audit/record.ts'
import { inTransaction } from '../../db/database.ts'
import { insertApiToken } from '../../db/people/api-tokens.ts'
import { saveCaller, savePairedRole } from '../../db/people/callers.ts'
import { lockPairing } from '../../db/people/pairing.ts'
import { isNameTaken } from '../../db/people/username-pins.ts'
import type { Role } from '../../domain/caller.ts'
import { CommandError } from '../../domain/command-error.ts'
import { sha256 } from '../../util/digest.ts'

export interface PairProgramInput extends CommandInput {
  /** Name after `api:` in the caller id. */
  readonly name: string
  readonly role: Role
  readonly signal: AbortSignal
}

export interface PairedProgram {
  readonly callerId: string
  /** Token with 256 random bits, shown once and not stored. */
  readonly token: string
}

/**
 * APPR-11: creates a token with which a program answers approvals as `api:<name>`. Throws CommandError if that caller has
 * a token or the name reads like another person's, since cards and the audit must be unambiguous.
 */
export function pairProgram({ name, role, ...input }: PairProgramInput): Promise<PairedProgram> {
  const callerId = `api:${name}`
  const token = `countersign_${randomBytes(32).toString('base64url')}`
  return withDatabase(input, ({ db }) =>
    inTransaction(db, async (trx) => {
      await lockPairing(trx)
      if (await isNameTaken(trx, callerId, callerId)) throw nameTaken(callerId)
      await saveCaller(trx, { id: callerId, name: callerId, role })
      if (!(await insertApiToken(trx, sha256(token), callerId))) throw hasOne(callerId)
      await savePairedRole(trx, { id: callerId, name: callerId }, role)
      await record(trx, {
        kind: 'command',
        chain: 'system',
        caller_id: `console:${input.environment.user}`,
        note: `made a token of the API for ${callerId} with the role ${role}`,
      })
      return { callerId, token }
    }),
  )
}

function hasOne(callerId: string): CommandError {
  return new CommandError(
    `${callerId} has a token already: countersign pair revoke ${callerId} ends it`,
    { code: 'NAME_TAKEN' },
  )
}

function nameTaken(callerId: string): CommandError {
  return new CommandError(`somebody goes by a name that reads like ${callerId}: choose another`, {
    code: 'NAME_TAKEN',
  })
}
