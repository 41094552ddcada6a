import { z } from 'zod'
import { createRulesFile } from '../../adapters/permissions/file-store.ts'
import { shadowFaults } from '../../app/open-shadow-rules.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { countDecided, findShadowed, type ShadowedRow } from '../../db/audit/audit-shadow.ts'
import type { Db } from '../../db/schema.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** A call of which the shadow rules said another thing than those in force. */
export interface ShadowedCall {
  readonly at: Date
  readonly tool: string
  readonly verdict: string
  readonly shadow: string
  /** Their rule, or their reason. */
  readonly why: string
  /** As the audit has them. */
  readonly arguments: string
}

export interface ShadowReport {
  /** Calls that the gate decided on; fewer were compared where the shadow rules are younger. */
  readonly decided: number
  /** The oldest first, one a call. */
  readonly differing: readonly ShadowedCall[]
  /** Why nothing is compared at present, as far as this machine knows: absent, it is. */
  readonly faults: readonly string[]
}

export interface ShadowInput extends CommandInput {
  readonly signal: AbortSignal
  readonly since: Date
}

/** APPR-21: what the shadow rules would have said otherwise since a time, from the audit. */
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

/** Of a call that was judged several times the last judgement counts. */
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

/** Who can write to the database may have put anything there. */
function toCall({ at, body }: ShadowedRow): ShadowedCall | undefined {
  const parsed = fields.safeParse(tryParseJson(body))
  if (!parsed.success) return undefined
  const { shadow_why: why, ...rest } = parsed.data
  return { at, why, ...rest }
}
