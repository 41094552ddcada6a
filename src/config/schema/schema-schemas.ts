import { z } from 'zod'
import { builtinTools } from '../../rules/tools/registry.ts'
import { fraction, integer, keyKinds, text } from '../key-types.ts'

const defaultThreshold = 0.6

export const tafcSection = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Adds a `thinking` field to complex tools, which the model fills first.'),
    complexity_threshold: z
      .unknown()
      .refine((value) => typeof value === 'number')
      .transform(toThreshold)
      .register(keyKinds, { kind: 'number', expected: 'a number' })
      .prefault(defaultThreshold)
      .describe('Minimum complexity of such tools, 0 to 1; other numbers are clamped.'),
  })
  .prefault({})
  .describe('Think-augmented function calling.')

/** SCH-01: clamped to 0–1; anything but a finite number becomes the default. */
function toThreshold(value: unknown): number {
  const number = Number(value)
  return Number.isFinite(number) ? Math.min(1, Math.max(0, number)) : defaultThreshold
}

export const schemaFilterSection = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Shows the model only tools that fit the message, if there are many.'),
    above_tools: integer(1, 1_000)
      .default(40)
      .describe('Number of tools above which some are left out.'),
    top_k: integer(1, 1_000).default(20).describe('Maximum number of tools chosen by score.'),
    threshold: fraction().default(0.3).describe('Minimum score of such a tool.'),
    always_on: z
      .array(text())
      .default(builtinTools.filter(({ alwaysShown }) => alwaysShown).map(({ name }) => name))
      .describe('Tools that are always shown.'),
    min_description_words: integer(0, 1_000)
      .default(5)
      .describe('Tools described in fewer words are always shown.'),
  })
  .prefault({})
  .describe('Selection of tools shown to the model.')

const dependencyRule = z.strictObject({
  requires: z
    .array(text())
    .default([])
    .describe('Tools that must have succeeded in the session before this one is shown.'),
  prefers: z
    .array(text())
    .default([])
    .describe('Tools whose success makes this one more likely to be shown.'),
})

export const dependenciesSection = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Applies the rules.'),
    boost_per_dep: fraction().default(0.15).describe('Score added by each satisfied preference.'),
    max_total_boost: fraction().default(0.2).describe('Maximum score added by preferences.'),
    rules: z
      .record(text(), dependencyRule)
      .default({})
      .superRefine((rules, context) => {
        const cycle = cycleIn(rules)
        if (!cycle) return
        const message = `tools require each other in a circle: ${cycle.join(' → ')}`
        context.addIssue({ code: 'custom', message, path: [cycle[0] ?? '', 'requires'] })
      })
      .describe('One table per tool.'),
  })
  .prefault({})
  .describe('Tools that depend on others.')

type Requirements = Readonly<Record<string, { readonly requires: readonly string[] }>>

/** The first cycle in `requires`, its first tool repeated at the end. */
function cycleIn(rules: Requirements): readonly string[] | undefined {
  const graph = new Map(Object.entries(rules).map(([tool, rule]) => [tool, rule.requires]))
  const settled = new Set<string>()
  for (const start of graph.keys()) {
    const cycle = cycleFrom(start, graph, settled)
    if (cycle) return cycle
  }
  return undefined
}

/** Depth first without recursion: a file may hold a chain of any length. */
function cycleFrom(
  start: string,
  graph: ReadonlyMap<string, readonly string[]>,
  settled: Set<string>,
): readonly string[] | undefined {
  const path: { tool: string; next: number }[] = [{ tool: start, next: 0 }]
  const onPath = new Set([start])
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const required = graph.get(top.tool)?.[top.next++]
    if (required === undefined) {
      settled.add(top.tool)
      onPath.delete(top.tool)
      path.pop()
    } else if (onPath.has(required)) {
      const names = path.map(({ tool }) => tool)
      return [...names.slice(names.indexOf(required)), required]
    } else if (!settled.has(required)) {
      path.push({ tool: required, next: 0 })
      onPath.add(required)
    }
  }
  return undefined
}
