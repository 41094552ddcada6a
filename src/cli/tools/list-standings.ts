import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { findToolUse, type ModelToolUse } from '../../db/call/model-tool-use.ts'
import { reliabilityOf } from '../../domain/tool-reliability.ts'

/** How one model uses one tool, and what that comes to: 1 down to 0. */
export type ToolReliability = ModelToolUse & { readonly standing: number }

/** ERR-06: every model with every tool that it has called, by name. */
export function listStandings(
  input: CommandInput & { readonly signal: AbortSignal },
): Promise<readonly ToolReliability[]> {
  return withDatabase(input, async ({ db }) => {
    const uses = await findToolUse(db)
    return uses.map((use) => ({ ...use, standing: reliabilityOf(use) }))
  })
}
