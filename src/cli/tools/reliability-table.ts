import { alignRows, plainText } from '../print.ts'
import type { ToolReliability } from './list-tool-reliability.ts'

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
