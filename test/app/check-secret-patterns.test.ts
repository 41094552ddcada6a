import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { createProductRedactor } from '../../src/app/logs/create-product-redactor.ts'
import { checkSecretPatterns } from '../../src/cli/doctor/check-rules.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { configOf } from '../config/support.ts'

function configWith(patterns: readonly string[]) {
  const environment = new Environment({
    COUNTERSIGN_DATA_DIR: tmpdir(),
    COUNTERSIGN_TOOLS_FILTERS_SECURITY_EXTRA_PATTERNS: JSON.stringify(patterns),
  })
  return configOf(loadConfig({ cwd: tmpdir(), environment }))
}

test('OUT-07 OUT-08 doctor names each secret pattern that is not used, and no others', () => {
  expect(checkSecretPatterns(configWith(['ACME-[0-9]+']))).toEqual([])
  const long = 'a'.repeat(513)
  expect(checkSecretPatterns(configWith(['x{3}', long]))).toEqual([
    {
      level: 'warn',
      what: 'secrets',
      finding: 'pattern 2 of extra_patterns is not used: it has 513 characters, and may have 512',
      mend: 'mend it in [tools.filters.security]',
    },
  ])
})

test('OUT-08 an unused pattern does not disable the others', () => {
  const redactor = createProductRedactor(configWith(['a'.repeat(513), 'ACME-[0-9]+']))
  expect(redactor.redact('an ACME-1234').text).toBe('an [redacted:extra-pattern]')
})
