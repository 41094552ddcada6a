import type { Config } from '../config/config.ts'
import { findTool, nearestTools } from '../rules/tools/registry.ts'

/**
 * SCH-03: names in `[tools.dependencies]` and `[tools.schema_filter]` that no tool has, each in one line. A requirement that
 * cannot be met hides its tool for ever, and a rule for another name holds nobody back: start refuses both. Tools of
 * configured MCP servers are not known before they are asked.
 */
export function unknownTools({ tools, mcp }: Pick<Config, 'tools' | 'mcp'>): readonly string[] {
  const { dependencies, schemaFilter } = tools
  const ofServers = Object.keys(mcp).map((server) => `${server}_`)
  const isKnown = (name: string): boolean =>
    findTool(name) !== undefined || ofServers.some((prefix) => name.startsWith(prefix))
  const named = [
    ...(dependencies.enabled ? dependencyNames(dependencies.rules) : []),
    ...(schemaFilter.enabled ? alwaysOn(schemaFilter) : []),
  ]
  return named.filter(({ name }) => !isKnown(name)).map(toLine)
}

interface Named {
  /** Where it stands in the configuration. */
  readonly where: string
  readonly name: string
}

function dependencyNames(rules: Config['tools']['dependencies']['rules']): readonly Named[] {
  return Object.entries(rules).flatMap(([tool, { requires, prefers }]) => {
    const where = `[tools.dependencies.rules.${tool}]`
    return [
      { where, name: tool },
      ...requires.map((name) => ({ where: `${where} requires`, name })),
      ...prefers.map((name) => ({ where: `${where} prefers`, name })),
    ]
  })
}

function alwaysOn({ alwaysOn: names }: Config['tools']['schemaFilter']): readonly Named[] {
  return names.map((name) => ({ where: '[tools.schema_filter] always_on', name }))
}

function toLine({ where, name }: Named): string {
  const near = nearestTools(name).join(', ')
  return `${where}: there is no tool ${JSON.stringify(name)}; the nearest are ${near}`
}
