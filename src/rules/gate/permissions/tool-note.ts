import { findTool, nearestTools } from '../../tools/registry.ts'
import { toToolName } from './tool-name.ts'

/** Named by the default rules, whether this installation has them or not (GATE-05). */
const reserved: ReadonlySet<string> = new Set(['skill', 'memory_search'])

/** What to tell of a rule for a tool that does not exist here; a wildcard may mean tools that come later. */
export function toolNote(tool: string): string | undefined {
  const name = toToolName(tool)
  if (/[*?]/.test(name) || reserved.has(name) || findTool(name) !== undefined) return undefined
  const [nearest] = nearestTools(name)
  const hint = nearest === undefined ? '' : `; the nearest is ${nearest}`
  return `there is no tool ${JSON.stringify(tool.slice(0, 64))}${hint}`
}
