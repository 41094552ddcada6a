import { z } from 'zod'
import { createRulesFile } from '../../adapters/permissions/file-store.ts'
import { shadowFaults } from '../../app/open-shadow-rules.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { countDecided, findShadowed, type ShadowedRow } from '../../db/audit/audit-feedback.ts'
import type { Db } from '../../db/schema.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** Call on which the shadow rules differed from those in force. */
export interface ShadowedCall {
  readonly at: Date
  readonly tool: string
  readonly verdict: string
  readonly shadow: string
  /** Shadow rule or reason. */
  readonly why: string
  /** Arguments as audited. */
  readonly arguments: string
}

export interface ShadowReport {
  /** Number of calls decided; fewer were compared if the shadow rules are newer. */
  readonly decided: number
  /** Differing calls, oldest first. */
  readonly differing: readonly ShadowedCall[]
  /** Why nothing is being compared, as far as this machine knows; empty if it is. */
  readonly faults: readonly string[]
}

export interface ShadowInput extends CommandInput {
  readonly signal: AbortSignal
  readonly since: Date
}

/** APPR-21: reports calls on which the shadow rules differed since a time, from the audit. */
export async function reportShadow(input: ShadowInput): Promise<ShadowReport> {
  const { config, since } = input
  const path = config.tools.shadowPermissions
  const faults =
    path === undefined
      ? ['[tools] shadow_permissions names no file']
      : shadowFaults(await createRulesFile(path)().catch(() => undefined))
  return await withDatabase(input, async ({ db }) => ({
    decided: await countDecided(db, since),
    differing: await findDiffering(db, since),
    faults,
  }))
}

const rowsAtOnce = 1_000

/** Reads differing calls; the last decision on a call counts. */
async function findDiffering(db: Db, since: Date): Promise<readonly ShadowedCall[]> {
  const calls = new Map<string, ShadowedCall>()
  let last: ShadowedRow | undefined
  for (;;) {
    const rows = await findShadowed(db, since, last, rowsAtOnce)
    for (const row of rows) {
      const call = toCall(row)
      const key = row.call_id ?? String(row.id)
      calls.delete(key)
      if (call !== undefined) calls.set(key, call)
    }
    if (rows.length < rowsAtOnce) return [...calls.values()]
    last = rows.at(-1)
  }
}

const fields = z.object({
  tool: z.string(),
  verdict: z.string(),
  shadow: z.string(),
  shadow_why: z.string().default(''),
  arguments: z.string().default(''),
})

/** Parses a row; undefined if invalid, since a writer to the database may have stored anything. */
function toCall({ at, body }: ShadowedRow): ShadowedCall | undefined {
  const parsed = fields.safeParse(tryParseJson(body))
  if (!parsed.success) return undefined
  const { shadow_why: why, ...rest } = parsed.data
  return { at, why, ...rest }
}
