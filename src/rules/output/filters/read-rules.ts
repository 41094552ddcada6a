import { z } from 'zod'
import { type WrittenRule, writtenRule } from './filter-rule.ts'

export interface ReadRules {
  readonly rules: readonly WrittenRule[]
  readonly warnings: readonly string[]
}

const mostRules = 1_000

/** OUT-07: the rules of a parsed file; what is wrong is skipped with a warning, and the rest is there. Never throws. */
export function readRules(file: unknown): ReadRules {
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
