import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { record } from '../../core/audit/record.ts'
import { tryLimits } from '../../core/inbox/pairing/pair.ts'
import { drawCode, groupCode } from '../../core/inbox/pairing/pairing-code.ts'
import { inTransaction } from '../../db/database.ts'
import { countTries, deleteOldPairing, insertCode } from '../../db/people/pairing.ts'
import type { Role } from '../../domain/caller.ts'
import { english } from '../../domain/messages/messages.ts'
import { type ConfiguredBot, findBot } from '../../gateway/find-bot.ts'
import { sha256 } from '../../util/digest.ts'

export interface PairInput extends CommandInput {
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
