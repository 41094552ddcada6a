import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { findToolUse, type ModelToolUse } from '../../db/call/model-tool-use.ts'
import { reliabilityOf } from '../../domain/trust.ts'

/** Usage of a tool by a model, with the share of correct calls from 1 down to 0. */
export type ToolReliability = ModelToolUse & { readonly standing: number }

/** ERR-06: lists every model and tool pair, ordered by name. */
export function listToolReliability(
  input: CommandInput & { readonly signal: AbortSignal },
): Promise<readonly ToolReliability[]> {
  return withDatabase(input, async ({ db }) => {
    const uses = await findToolUse(db)
    return uses.map((use) => ({ ...use, standing: reliabilityOf(use) }))
  })
}
