import type { ShellEnvelope } from '../domain/tool/tool-call.ts'
import type { FilteredOutput } from '../rules/jobs/contract.ts'
import { applyFilters } from '../rules/output/filters/apply-filters.ts'
import type { CompiledFilter } from '../rules/output/filters/compile-filters.ts'

/** More than these matched by one command are not told of. */
const mostRules = 32

/** OUT-02…06: what the model is shown of a command's redacted output; undefined where no rule is for it. */
export function filterOutput(
  output: string,
  envelope: ShellEnvelope | undefined,
  command: string | undefined,
  filters: readonly CompiledFilter[],
): FilteredOutput | undefined {
  if (command === undefined || envelope === undefined) return undefined
  const filtered = applyFilters(filters, output, { command, exitCode: envelope.exit_code })
  if (filtered === undefined) return undefined
  return {
    ...(filtered.text === output ? {} : { text: filtered.text }),
    rules: filtered.rules.slice(0, mostRules),
    confidence: filtered.confidence,
    linesBefore: filtered.linesBefore,
    linesAfter: filtered.linesAfter,
  }
}
