import { findConfiguredRoles } from '../../app/list-people.ts'
import { peopleOf } from '../../app/people-of.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { record } from '../../core/audit/record.ts'
import { tryLimits } from '../../core/inbox/pairing/pair.ts'
import { drawCode, groupCode } from '../../core/inbox/pairing/pairing-code.ts'
import { inTransaction } from '../../db/database.ts'
import { deleteApiToken } from '../../db/people/api-tokens.ts'
import { unlinkAccount as endLink } from '../../db/people/caller-links.ts'
import { endPairing, findKnownCaller } from '../../db/people/callers.ts'
import { countTries, deleteOldPairing, insertCode, lockPairing } from '../../db/people/pairing.ts'
import type { Role } from '../../domain/caller.ts'
import { CommandError } from '../../domain/command-error.ts'
import { english } from '../../domain/messages/messages.ts'
import { type ConfiguredBot, findBot } from '../../gateway/find-bot.ts'
import { sha256 } from '../../util/digest.ts'

interface PairInput extends CommandInput {
  readonly role: Role
  /** Lifetime of the code in minutes. */
  readonly minutes: number
  readonly signal: AbortSignal
}

export interface PairingOffer {
  /** Code in the form for people, shown once and not stored. */
  readonly code: string
  readonly expiresAt: Date
  /** True if no code is accepted now because too many attempts failed. */
  readonly isClosed: boolean
  /** Description of what the role allows. */
  readonly ability: string
  /** Bot that accepts the code, as far as known. */
  readonly bot: ConfiguredBot
}

/** CHAT-01: creates a code that gives its sender the role, and deletes expired codes. */
export async function pair(input: PairInput): Promise<PairingOffer> {
  const finding = findBot(input.config, input.signal)
  // Awaited below; an earlier failure must not make it an unhandled rejection.
  finding.catch(() => undefined)
  const made = await makeCode(input)
  return { ...made, ability: english.people.abilities[input.role], bot: await finding }
}

function makeCode({
  role,
  minutes,
  ...input
}: PairInput): Promise<Pick<PairingOffer, 'code' | 'expiresAt' | 'isClosed'>> {
  const symbols = drawCode()
  const callerId = `console:${input.environment.user}`
  return withDatabase(input, ({ db }) =>
    inTransaction(db, async (trx) => {
      await deleteOldPairing(trx)
      const made = await insertCode(trx, { sha256: sha256(symbols), role, minutes })
      const { ofAll } = await countTries(trx, callerId)
      const note = `made a pairing code for the role ${role}, at ${made.created_at.toISOString()}, good for ${minutes} min`
      await record(trx, { kind: 'command', chain: 'system', caller_id: callerId, note })
      return {
        code: groupCode(symbols),
        expiresAt: made.expires_at,
        isClosed: ofAll >= tryLimits.ofAll,
      }
    }),
  )
}

interface RevokeInput extends CommandInput {
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

interface UnlinkInput extends CommandInput {
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
    { code: 'NOT_LINKED' },
  )
}
