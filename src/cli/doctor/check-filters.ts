import { loadFilters } from '../../app/load-filters.ts'
import type { Config } from '../../config/config.ts'
import { type Finding, warn } from './finding.ts'

/** OUT-07: warns about operator filters that are not used. */
export async function checkFilters(config: Config): Promise<readonly Finding[]> {
  const { warnings } = await loadFilters(config)
  const mend = 'mend the rule, or take it out; docs/filters.md says what one holds'
  return warnings.map((warning) => warn('output filters', warning, mend))
}
