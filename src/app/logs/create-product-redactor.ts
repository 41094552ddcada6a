import type { Config } from '../../config/config.ts'
import { knownSecrets } from '../../config/secrets.ts'
import { createRedactor, type Redactor } from '../../rules/output/create-redactor.ts'
import { toExtraShapes } from '../../rules/output/to-extra-shapes.ts'

/** OUT-08: creates a redactor for the secrets of this process, all known forms, and the operator's patterns. */
export function createProductRedactor(config: Config): Redactor {
  const own = knownSecrets(config).map((value) => ({ kind: 'own-secret', value }))
  return createRedactor(own, extraShapes(config).shapes)
}

/** Returns the usable patterns of `extra_patterns`, and why others are skipped. */
export function extraShapes({ tools }: Config): ReturnType<typeof toExtraShapes> {
  return toExtraShapes(tools.filters.security.extraPatterns)
}
