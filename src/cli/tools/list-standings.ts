import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { findStandings, type ModelStanding } from '../../db/call/model-standing.ts'
import { reliabilityOf } from '../../domain/tool-reliability.ts'

/** How one model uses one tool, and what that comes to: 1 down to 0. */
export type ToolReliability = ModelStanding & { readonly standing: number }

/** ERR-06: every model with every tool that it has called, by name. */
export function listStandings(
  input: CommandInput & { readonly signal: AbortSignal },
): Promise<readonly ToolReliability[]> {
  return withDatabase(input, async ({ db }) => {
    const uses = await findStandings(db)
    return uses.map((use) => ({ ...use, standing: reliabilityOf(use) }))
  })
}
