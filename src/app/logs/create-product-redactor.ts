import type { Config } from '../../config/config.ts'
import { knownSecrets } from '../../config/secrets.ts'
import { createRedactor, type Redactor } from '../../rules/output/create-redactor.ts'
import { toExtraShapes } from '../../rules/output/to-extra-shapes.ts'

/** OUT-08: finds what this process holds itself, every known form, and what the operator's patterns fit. */
export function createProductRedactor(config: Config): Redactor {
  const own = knownSecrets(config).map((value) => ({ kind: 'own-secret', value }))
  return createRedactor(own, extraShapes(config).shapes)
}

/** Of `extra_patterns`: those that are used, and why others are not. */
export function extraShapes({ tools }: Config): ReturnType<typeof toExtraShapes> {
  return toExtraShapes(tools.filters.security.extraPatterns)
}
