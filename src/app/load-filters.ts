import type { Config } from '../config/config.ts'
import { readFiltersFile } from '../config/read-filters-file.ts'
import { type CompiledFilter, compileFilters } from '../rules/output/filters/compile-filters.ts'

export interface LoadedFilters {
  readonly filters: readonly CompiledFilter[]
  /** Parts of the operator's file that are not used, with reasons. */
  readonly warnings: readonly string[]
}

/** OUT-02, OUT-07: loads the built-in filters, overridden by the operator's; none if disabled. */
export async function loadFilters(
  config: Pick<Config, 'tools' | 'configDir'>,
): Promise<LoadedFilters> {
  if (!config.tools.filters.enabled) return { filters: [], warnings: [] }
  const file = await readFiltersFile(config)
  if (file.kind === 'none') return compileFilters()
  if (file.kind === 'refused') {
    const { filters } = compileFilters()
    return { filters, warnings: [`${file.path} ${file.why}; the built-in filters are used`] }
  }
  const { filters, warnings } = compileFilters(file.tree)
  return { filters, warnings: warnings.map((warning) => `${file.path}: ${warning}`) }
}
