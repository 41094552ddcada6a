import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { record } from '../../core/audit/record.ts'
import { inTransaction } from '../../db/database.ts'
import { unlinkAccount as endLink } from '../../db/people/caller-links.ts'
import { lockPairing } from '../../db/people/pairing.ts'
import { CommandError } from '../../domain/command-error.ts'

export interface UnlinkInput extends CommandInput {
  readonly callerId: string
  readonly signal: AbortSignal
}

/**
 * CHAT-01: unlinks an account, also for pending approvals. Returns the accounts it was linked to; throws CommandError if
 * there were none.
 */
export function unlinkAccount({ callerId, ...input }: UnlinkInput): Promise<readonly string[]> {
  return withDatabase(input, ({ db }) =>
    inTransaction(db, async (trx) => {
      await lockPairing(trx)
      const others = await endLink(trx, callerId)
      if (others.length === 0) throw notLinked(callerId)
      await record(trx, {
        kind: 'command',
        chain: 'system',
        caller_id: `console:${input.environment.user}`,
        note: `ended the link of ${callerId} with ${others.join(', ')}`,
      })
      return others
    }),
  )
}

function notLinked(callerId: string): CommandError {
  const who = JSON.stringify(callerId)
  return new CommandError(
    `${who} is not linked to another account: countersign pair list shows which are`,
    {
      code: 'NOT_LINKED',
    },
  )
}
