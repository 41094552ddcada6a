import { createProductRedactor } from '../../app/logs/create-product-redactor.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { record } from '../../core/audit/record.ts'
import { deleteOutcomes } from '../../db/call/tool-outcomes.ts'
import { findAllTrust, lockTrust, setTrust as saveTrust } from '../../db/call/tool-trust.ts'
import { inTransaction } from '../../db/database.ts'
import type { Db } from '../../db/schema.ts'
import { CommandError } from '../../domain/command-error.ts'
import type { TrustLevel } from '../../domain/trust.ts'
import { nearestNames } from '../../rules/tools/parse-arguments.ts'
import { allTools, toToolName } from '../../rules/tools/registry.ts'

export interface SetTrustInput extends CommandInput {
  /** Name or alias of the tool. */
  readonly tool: string
  readonly level: TrustLevel
  readonly reason?: string
  readonly signal: AbortSignal
}

export interface ChangedTrust {
  readonly tool: string
  readonly before: TrustLevel
  readonly level: TrustLevel
}

/**
 * POL-03: sets a tool's level for all processes from the next decision on, and resets the anomaly detector. Throws
 * CommandError for an unknown tool.
 */
export function setTrust({ level, reason, ...input }: SetTrustInput): Promise<ChangedTrust> {
  const who = `console:${input.environment.user}`
  const clean = reason && createProductRedactor(input.config).redact(reason).text
  return withDatabase(input, ({ db }) =>
    inTransaction(db, async (trx) => {
      const tool = await knownTool(trx, input.tool)
      await lockTrust(trx, tool)
      const before = await saveTrust(trx, { tool, level, set_by: who, reason: clean ?? null })
      await deleteOutcomes(trx, tool)
      const why = clean === undefined ? '' : `: ${clean}`
      const note = `set the trust of ${tool} from ${before} to ${level}${why}`
      await record(trx, { kind: 'command', chain: 'system', tool, caller_id: who, note })
      return { tool, before, level }
    }),
  )
}

/** Returns the canonical name; a misspelled one would protect nothing. */
async function knownTool(db: Db, given: string): Promise<string> {
  const name = toToolName(given)
  const set = (await findAllTrust(db)).map(({ tool }) => tool)
  const known = [...allTools.map((tool) => tool.name), ...set]
  if (known.includes(name)) return name
  const near = nearestNames(name, known)
  const hint = near.length === 0 ? 'countersign trust list shows them' : `meant ${near.join(', ')}?`
  throw new CommandError(`there is no tool ${JSON.stringify(given)}: ${hint}`, {
    code: 'UNKNOWN_NAME',
  })
}
