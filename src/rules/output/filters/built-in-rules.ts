import { buildRules } from './built-in/build-rules.ts'
import { fileRules } from './built-in/file-rules.ts'
import { installRules } from './built-in/install-rules.ts'
import { operationsRules } from './built-in/operations-rules.ts'
import { testRules } from './built-in/test-rules.ts'
import type { FilterRule } from './filter-rule.ts'

/** The rules in force without a file of the operator's (OUT-02). */
export const builtInRules: readonly FilterRule[] = [
  ...testRules,
  ...buildRules,
  ...fileRules,
  ...installRules,
  ...operationsRules,
]
