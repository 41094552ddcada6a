import { removeWorkspaces } from '../../agent/keep-retention.ts'
import { findConfiguredRoles } from '../../app/list-people.ts'
import { peopleOf } from '../../app/people-of.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { aliasOf, record } from '../../core/audit/record.ts'
import { ownsAudit } from '../../db/audit/audit-partitions.ts'
import { deleteAuditPerson, forgottenNote } from '../../db/audit/audit-people.ts'
import { inTransaction } from '../../db/database.ts'
import { findAccounts } from '../../db/people/caller-links.ts'
import { lockPairing } from '../../db/people/pairing.ts'
import { countPerson, deletePerson, lockPerson, type PersonCounts } from '../../db/people/person.ts'
import { countTraces, type PersonTraces, readNames, replaceNames } from '../../db/person-traces.ts'
import type { Role } from '../../domain/caller.ts'
import { CommandError } from '../../domain/command-error.ts'
import { createDigestKey } from '../../util/digest.ts'

export interface ForgetInput extends CommandInput {
  readonly callerId: string
  /** True to only report what would be deleted. */
  readonly isTrial: boolean
  readonly signal: AbortSignal
}

export interface Forgotten extends PersonCounts {
  /** Other accounts of the same person, which are not deleted. */
  readonly linked: readonly string[]
  /** Role that the configuration still gives. */
  readonly role?: Role
  /** Rows that still name the person, in text by others or covered by a hash; undefined if nothing was deleted. */
  readonly traces?: readonly PersonTraces[]
  /** Conversations whose files on this machine could not be removed. */
  readonly left: readonly string[]
}

/**
 * Deletes everything stored about an account, including workspaces on this machine and the key of its audit pseudonym.
 * Throws CommandError if the account is unknown, has a live turn, or this role does not own the tables.
 */
export async function forgetPerson({
  callerId,
  isTrial,
  ...input
}: ForgetInput): Promise<Forgotten> {
  const { config, environment } = input
  const forgotten = await withDatabase(input, async ({ db }) => {
    const { names, ...found } = await inTransaction(db, async (trx) => {
      if (!(await ownsAudit(trx))) throw new CommandError(notOwner, { code: 'NOT_DATABASE_OWNER' })
      await lockPairing(trx)
      if (!isTrial) await lockPerson(trx, callerId)
      const counts = await countPerson(trx, callerId)
      const linked = [...(await findAccounts(trx, callerId))].filter((id) => id !== callerId)
      const role = (await findConfiguredRoles(trx, peopleOf(config))).get(callerId)
      const found = { ...counts, linked, ...(role !== undefined && { role }) }
      if (isTrial) return { ...found, names: undefined }
      if (counts.live > 0) throw new CommandError(isLive(callerId), { code: 'PERSON_BUSY' })
      const names = await readNames(trx, callerId)
      const alias = await deleteAuditPerson(trx, callerId)
      const by = `console:${environment.user}`
      if (alias !== undefined) {
        const row = { kind: 'command', chain: 'system', caller_id: by } as const
        await record(trx, { ...row, note: forgottenNote(alias) })
      }
      const pseudonym = alias ?? aliasOf(callerId, createDigestKey())
      await deletePerson(trx, callerId, counts.conversations, pseudonym)
      await replaceNames(trx, names, pseudonym)
      return { ...found, names }
    })
    // Outside the transaction, since it reads all tables and must not block others.
    return names === undefined ? found : { ...found, traces: await countTraces(db, names) }
  })
  const left = isTrial ? [] : await removeWorkspaces(config, forgotten.conversations)
  return { ...forgotten, left }
}

const notOwner =
  'this role may not delete people: give DATABASE_URL the role that ran countersign migrate'

function isLive(callerId: string): string {
  return `a turn of ${callerId} is under way or waits for an answer: end it first with /stop, there or as an operator`
}
