import { applyFilters } from '../../../../src/rules/output/filters/apply-filters.ts'
import { compileFilters } from '../../../../src/rules/output/filters/compile-filters.ts'
import type { StrategyOptions } from '../../../../src/rules/output/filters/filter-rule.ts'

type Written = { readonly type: StrategyOptions['type'] } & Readonly<Record<string, unknown>>

/** Applies one rule for the command `run` to lines. */
export function applyOne(strategy: Written, text: string, exitCode: number | null = 0) {
  const rule = { name: 'one', match: { exact: 'run' }, strategy }
  const { filters, warnings } = compileFilters({ rules: [rule] })
  if (warnings.length > 0) throw new Error(warnings.join('\n'))
  const filtered = applyFilters(filters, text, { command: 'run', exitCode })
  if (filtered === undefined) throw new Error('no rule matched')
  return filtered
}

/** Applies the built-in rules to the output of a command. */
export function applyBuiltIn(command: string, text: string, exitCode: number | null = 0) {
  return applyFilters(compileFilters().filters, text, { command, exitCode })
}
