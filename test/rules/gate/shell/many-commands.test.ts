import { expect, test } from 'vitest'
import type { Action } from '../../../../src/domain/verdict.ts'
import { judgeBash } from '../support/judge-with.ts'

test('THREAT-2 REL-02 the work for a line of many commands grows with the line, not with its square', () => {
  // With the square this takes minutes, and every lease of the process is lost meanwhile.
  const command = Array.from({ length: 2_400 }, (_, index) => `echo step ${index}`).join('\n')
  const deny: Action = 'deny'
  const rules = Array.from({ length: 60 }, (_, index) => ({
    pattern: `*like ${index}*`,
    action: deny,
  }))
  const permissions = { bash: { '*': 'ask', 'echo *': 'allow' } }
  const { action } = judgeBash(command, { permissions, operator: { bash: rules } })
  expect(['allow', 'ask']).toContain(action)
})
