import type { Config } from '../config/config.ts'
import { findTool, nearestTools } from '../rules/tools/registry.ts'

type NamesTools = Pick<Config, 'tools' | 'mcp'>

/**
 * SCH-03: lists names in `[tools.dependencies]` and `[tools.schema_filter]` that no tool has, one line each. Start
 * refuses them, because a requirement that cannot be met hides its tool for ever. Tools of configured MCP servers are
 * accepted, because they are not known before the servers answer.
 */
export function unknownTools(config: NamesTools): readonly string[] {
  const { dependencies, schemaFilter } = config.tools
  const rules = dependencies.enabled ? Object.entries(dependencies.rules) : []
  const named = [
    ...rules.filter(([tool]) => isKnown(tool, config)).flatMap(dependencyNames),
    ...(schemaFilter.enabled ? alwaysOn(schemaFilter) : []),
  ]
  return named.filter(({ name }) => !isKnown(name, config)).map(toLine)
}

/** Lists rules for tools that do not exist, such as those of the manual's example; they have no effect. */
export function idleRules(config: NamesTools): readonly string[] {
  const { enabled, rules } = config.tools.dependencies
  if (!enabled) return []
  return Object.keys(rules)
    .filter((tool) => !isKnown(tool, config))
    .map((tool) => toLine({ where: `[tools.dependencies.rules.${tool}]`, name: tool }))
}

function isKnown(name: string, { mcp }: NamesTools): boolean {
  return (
    findTool(name) !== undefined || Object.keys(mcp).some((server) => name.startsWith(`${server}_`))
  )
}

interface Named {
  /** Position in the configuration. */
  readonly where: string
  readonly name: string
}

type Rule = Config['tools']['dependencies']['rules'][string]

function dependencyNames([tool, { requires, prefers }]: [string, Rule]): readonly Named[] {
  const where = `[tools.dependencies.rules.${tool}]`
  return [
    ...requires.map((name) => ({ where: `${where} requires`, name })),
    ...prefers.map((name) => ({ where: `${where} prefers`, name })),
  ]
}

function alwaysOn({ alwaysOn: names }: Config['tools']['schemaFilter']): readonly Named[] {
  return names.map((name) => ({ where: '[tools.schema_filter] always_on', name }))
}

function toLine({ where, name }: Named): string {
  const near = nearestTools(name).join(', ')
  return `${where}: there is no tool ${JSON.stringify(name)}; the nearest are ${near}`
}
