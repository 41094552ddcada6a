import type { ToolDependencies } from '../../../domain/tool/tool-view.ts'

/** SCH-03: a tool that is not shown, and the tools that must succeed in the session first. */
export interface DependencyExclusion {
  readonly tool: string
  readonly unmet: readonly string[]
}

/** Tools with unmet requirements, by name, given the tools that have succeeded. */
export function unmetRequirements(
  { rules }: Pick<ToolDependencies, 'rules'>,
  succeeded: ReadonlySet<string>,
): ReadonlyMap<string, DependencyExclusion> {
  const exclusions = Object.entries(rules).flatMap(([tool, { requires }]) => {
    const unmet = [...new Set(requires)].filter((name) => !succeeded.has(name))
    return unmet.length === 0 ? [] : [[tool, { tool, unmet }] as const]
  })
  return new Map(exclusions)
}

/** A tool's bonus for satisfied preferences. */
export function boostOf(
  tool: string,
  dependencies: ToolDependencies | undefined,
  succeeded: ReadonlySet<string>,
): number {
  const { rules = {}, boostPerDep = 0, maxTotalBoost = 0 } = dependencies ?? {}
  const prefers = Object.hasOwn(rules, tool) ? (rules[tool]?.prefers ?? []) : []
  const satisfied = new Set(prefers.filter((name) => succeeded.has(name))).size
  return Math.min(satisfied * boostPerDep, maxTotalBoost)
}

/** All tools whose success matters to another. */
export function namedDependencies({ rules }: Pick<ToolDependencies, 'rules'>): readonly string[] {
  const names = Object.values(rules).flatMap(({ requires, prefers }) => [...requires, ...prefers])
  return [...new Set(names)]
}

/** For a model and for people: `deploy is there once build and test have succeeded in this session`. */
export function describeUnmet({ tool, unmet }: DependencyExclusion): string {
  const names =
    unmet.length < 2 ? unmet.join('') : `${unmet.slice(0, -1).join(', ')} and ${unmet.at(-1)}`
  return `${tool} is there once ${names} ${unmet.length < 2 ? 'has' : 'have'} succeeded in this session`
}
