import { extraShapes } from '../../app/logs/create-product-redactor.ts'
import type { Config } from '../../config/config.ts'
import { type Finding, warn } from './finding.ts'

/** OUT-07: warns about secret patterns that are not used. */
export function checkSecretPatterns(config: Config): readonly Finding[] {
  return extraShapes(config).skipped.map(({ number, why }) =>
    warn(
      'secrets',
      `pattern ${number} of extra_patterns is not used: it ${why}`,
      'mend it in [tools.filters.security]',
    ),
  )
}
