import { buildRules } from './built-in/build-rules.ts'
import { fileRules } from './built-in/file-rules.ts'
import { installRules } from './built-in/install-rules.ts'
import { operationsRules } from './built-in/operations-rules.ts'
import { testRules } from './built-in/test-rules.ts'
import type { FilterRule } from './filter-rule.ts'

/** OUT-02: what there is without a file of a person's. */
export const builtInRules: readonly FilterRule[] = [
  ...testRules,
  ...buildRules,
  ...fileRules,
  ...installRules,
  ...operationsRules,
]
