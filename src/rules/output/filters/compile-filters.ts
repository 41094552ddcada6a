import { z } from 'zod'
import { buildRules, fileRules, testRules } from './built-in/build-rules.ts'
import { installRules, operationsRules } from './built-in/install-rules.ts'
import { BadPattern, type Compile, compilePattern, compileStrategy } from './compile-strategy.ts'
import {
  type FilterRule,
  type MatchOptions,
  type PartialRule,
  partialRule,
  type StrategyOptions,
} from './filter-rule.ts'
import { type LinePattern, toBuiltInPattern, toUserPattern } from './line-pattern.ts'
import type { Strategy } from './strategies/strategy.ts'

const maxRules = 1_000

/** A compiled rule. */
export interface CompiledFilter {
  readonly name: string
  readonly matches: (command: string) => boolean
  readonly strategy: Strategy
  /** False for git diffs, where words such as “error” belong to the files. */
  readonly guardsWords: boolean
  /** Matches lines that quote people's words, such as commit messages. */
  readonly quotes?: LinePattern | undefined
}

interface CompiledFilters {
  readonly filters: readonly CompiledFilter[]
  /** A message for the operator about each rule that was skipped. */
  readonly warnings: readonly string[]
}

/** Compiles the built-in rules, overridden by name by those of an operator's file, given as parsed TOML (OUT-02, OUT-07). */
export function compileFilters(file?: unknown): CompiledFilters {
  const read: ReadRules = file === undefined ? { rules: [], warnings: [] } : readRules(file)
  const warnings = [...read.warnings]
  const filters = new Map(
    builtInRules.map((rule) => [rule.name, compileRule(rule, toBuiltInPattern)] as const),
  )
  for (const { name, enabled, ...own } of read.rules) {
    if (!enabled) {
      filters.delete(name)
      continue
    }
    const known = builtInRules.find((rule) => rule.name === name)
    const match = own.match ?? known?.match
    const strategy = own.strategy ?? known?.strategy
    if (match === undefined || strategy === undefined) {
      warnings.push(
        `rule "${name}" needs match and strategy: there is no built-in one of that name`,
      )
      continue
    }
    try {
      const compile = { match: compilerOf(own.match), strategy: compilerOf(own.strategy) }
      filters.set(name, compileParts({ name, match, strategy }, compile))
    } catch (error) {
      if (!(error instanceof BadPattern)) throw error
      warnings.push(`rule "${name}" was skipped: ${error.message}`)
    }
  }
  return { filters: [...filters.values()], warnings }
}

/** An operator's pattern is validated and bounded; one taken from a built-in rule is trusted. */
function compilerOf(written: unknown): Compile {
  return written === undefined ? toBuiltInPattern : toUserPattern
}

function compileRule(rule: FilterRule, compile: Compile): CompiledFilter {
  return compileParts(rule, { match: compile, strategy: compile })
}

function compileParts(
  { name, match, strategy }: FilterRule,
  compile: { readonly match: Compile; readonly strategy: Compile },
): CompiledFilter {
  return {
    name,
    matches: compileMatch(match, compile.match),
    strategy: compileStrategy(strategy, compile.strategy),
    guardsWords: strategy.type !== 'git_diff',
    quotes: compileQuotes(strategy, compile.strategy),
  }
}

function compileQuotes(strategy: StrategyOptions, compile: Compile): LinePattern | undefined {
  if (strategy.type !== 'truncate' || strategy.quotes === undefined) return undefined
  return compilePattern(strategy.quotes, compile)
}

function compileMatch(
  { exact, prefix, regex }: MatchOptions,
  compile: Compile,
): (command: string) => boolean {
  if (exact !== undefined) return (command) => command === exact
  if (prefix !== undefined) return (command) => command.startsWith(prefix)
  const pattern = compilePattern(regex ?? '', compile)
  return (command) => pattern.test(command)
}

interface ReadRules {
  readonly rules: readonly PartialRule[]
  readonly warnings: readonly string[]
}

/** Parses the rules of a file (OUT-07). Invalid ones are skipped with a warning. Never throws. */
function readRules(file: unknown): ReadRules {
  const outer = z.looseObject({ rules: z.array(z.unknown()).default([]) }).safeParse(file)
  if (!outer.success) return { rules: [], warnings: ['it has no list of tables [[rules]]'] }
  const { rules: written, ...others } = outer.data
  const warnings = Object.keys(others).map((key) => `there is no key "${key.slice(0, 64)}"`)
  if (written.length > maxRules) {
    warnings.push(`it has more than ${maxRules} rules; those behind were skipped`)
  }
  const rules = new Map<string, PartialRule>()
  for (const [index, value] of written.slice(0, maxRules).entries()) {
    const parsed = partialRule.safeParse(value)
    if (parsed.success) rules.set(parsed.data.name, parsed.data)
    else warnings.push(`${nameOf(value, index)} was skipped: ${explain(parsed.error)}`)
  }
  return { rules: [...rules.values()], warnings }
}

function nameOf(value: unknown, index: number): string {
  const named = z.object({ name: z.string() }).safeParse(value)
  return named.success
    ? `rule ${JSON.stringify(named.data.name.slice(0, 64))}`
    : `rule ${index + 1}`
}

function explain({ issues }: z.ZodError): string {
  return issues
    .slice(0, 3)
    .map(({ path, message }) =>
      [...(path.length === 0 ? [] : [path.join('.')]), message].join(': '),
    )
    .join('; ')
}

/** The rules in force without a file of the operator's (OUT-02). */
export const builtInRules: readonly FilterRule[] = [
  ...testRules,
  ...buildRules,
  ...fileRules,
  ...installRules,
  ...operationsRules,
]
