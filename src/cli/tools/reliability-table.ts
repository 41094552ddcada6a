import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { findToolUse, type ModelToolUse } from '../../db/call/model-tool-use.ts'
import { reliabilityOf } from '../../domain/trust.ts'
import { alignRows, plainText } from '../print.ts'

const headings = ['MODEL', 'TOOL', 'STANDING', 'WORKED', 'ASKED WRONGLY', 'LAST TIME (UTC)', 'WHY']

/** Formats models and tools, one pair a line. */
export function reliabilityTable(standings: readonly ToolReliability[]): readonly string[] {
  if (standings.length === 0) return ['No model has called a tool yet.']
  return alignRows([headings, ...standings.map(cellsOf)])
}

function cellsOf(row: ToolReliability): readonly string[] {
  const { model, tool, standing, successes, qualityFailures, lastCategory, lastFailureAt } = row
  const last = lastFailureAt?.toISOString().slice(0, 16).replace('T', ' ') ?? '-'
  return [
    ...[model, tool, `${Math.floor(standing * 100)} %`, String(successes)],
    ...[String(qualityFailures), last, lastCategory ?? '-'],
  ].map(plainText)
}

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
