import { z } from 'zod'
import { builtInRules } from './built-in-rules.ts'
import { BadPattern, type Compile, compilePattern, compileStrategy } from './compile-strategy.ts'
import {
  type FilterRule,
  type MatchOptions,
  type StrategyOptions,
  type WrittenRule,
  writtenRule,
} from './filter-rule.ts'
import { type LinePattern, toOwnPattern, toUserPattern } from './line-pattern.ts'
import type { Strategy } from './strategies/strategy.ts'

const mostRules = 1_000

/** A rule ready to run. */
export interface CompiledFilter {
  readonly name: string
  readonly matches: (command: string) => boolean
  readonly strategy: Strategy
  /** Git's diffs are full of words like “error” that nobody printed. */
  readonly guardsWords: boolean
  /** Lines in which people's words are quoted. */
  readonly quotes?: LinePattern | undefined
}

export interface CompiledFilters {
  readonly filters: readonly CompiledFilter[]
  /** Of each rule that was skipped, in words for the operator. */
  readonly warnings: readonly string[]
}

/** OUT-02, OUT-07: the built-in rules, with those of a person's file (as parsed TOML) laid over them by name. */
export function compileFilters(file?: unknown): CompiledFilters {
  const read: ReadRules = file === undefined ? { rules: [], warnings: [] } : readRules(file)
  const warnings = [...read.warnings]
  const filters = new Map(
    builtInRules.map((rule) => [rule.name, compileRule(rule, toOwnPattern)] as const),
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

/** What a person wrote is theirs to be checked, what was taken from the built-in rule is ours. */
function compilerOf(written: unknown): Compile {
  return written === undefined ? toOwnPattern : toUserPattern
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
  readonly rules: readonly WrittenRule[]
  readonly warnings: readonly string[]
}

/** OUT-07: the rules of a parsed file; what is wrong is skipped with a warning, and the rest is there. Never throws. */
function readRules(file: unknown): ReadRules {
  const outer = z.looseObject({ rules: z.array(z.unknown()).default([]) }).safeParse(file)
  if (!outer.success) return { rules: [], warnings: ['it has no list of tables [[rules]]'] }
  const { rules: written, ...others } = outer.data
  const warnings = Object.keys(others).map((key) => `there is no key "${key.slice(0, 64)}"`)
  if (written.length > mostRules) {
    warnings.push(`it has more than ${mostRules} rules; those behind were skipped`)
  }
  const rules = new Map<string, WrittenRule>()
  for (const [index, value] of written.slice(0, mostRules).entries()) {
    const parsed = writtenRule.safeParse(value)
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
