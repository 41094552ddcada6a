import { toolJsonSchema } from '../../rules/tools/json-schema.ts'
import { builtinTools } from '../../rules/tools/registry.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'

/** Lists the built-in tools as a table, or as one JSON object a line. */
export function listTools(asJson: boolean): string {
  const lines = asJson ? builtinTools.map(toJson) : [heading, ...builtinTools.map(toRow)]
  return `${lines.join('\n')}\n`
}

function toJson(tool: ToolSpec): string {
  const { schema: _schema, ...rest } = tool
  return JSON.stringify({ ...rest, inputSchema: toolJsonSchema(tool) })
}

const heading = row(['tool', 'kind', 'runs in', 'changes', 'network', 'limit', 'what it does'])

function toRow({ name, kind, runsIn, mutating, needsNetwork, timeoutMs, description }: ToolSpec) {
  const [summary = ''] = description.split(/(?<=\.) /)
  return row([
    name,
    kind,
    runsIn,
    mutating ? 'yes' : 'no',
    needsNetwork ? 'yes' : 'no',
    `${timeoutMs / 1000} s`,
    summary,
  ])
}

function row(cells: readonly string[]): string {
  const widths = [17, 9, 8, 8, 8, 6]
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join(' ')
    .trimEnd()
}
