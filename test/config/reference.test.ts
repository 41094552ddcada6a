import { describe, expect, test } from 'vitest'
import { externalVariableNames } from '../../src/config/outside-names.ts'
import { configReference } from '../../src/config/reference.ts'
import { settingsSchema } from '../../src/config/schema/schema.ts'
import { keysOf, sectionOf, variableOf } from '../../src/config/shape.ts'

describe('CONF-01 the reference', () => {
  test('CONF-01 every key has a meaning, and stands in the reference with its variable', () => {
    const reference = configReference()
    for (const key of keysOf(sectionOf(settingsSchema))) {
      expect(key.description, key.path.join('.')).not.toBe('')
      expect(reference).toContain(`\`${variableOf(key.path)}\``)
    }
    for (const name of externalVariableNames()) expect(reference).toContain(`\`${name}\``)
  })

  test('CONF-01 the reference says how to make it anew', () => {
    const [first] = configReference().split('\n')
    expect(first).toContain(
      'npx countersign doctor --print-config-reference > docs/reference/configuration.md',
    )
  })
})
