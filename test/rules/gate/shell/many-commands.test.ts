import { expect, test } from 'vitest'
import type { Action } from '../../../../src/domain/verdict.ts'
import { leastProcessorMs } from '../../../support/processor-ms.ts'
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

test.each([
  ['different', (at: number) => `timeout ${at} `],
  ['equal', () => 'timeout 5 '],
  ['mixed', (at: number) => `env A${at}=1 nice -n ${at} `],
])('SHELL-09 thousands of %s wrappers in wrappers are refused within 50 ms', (_, wrapper) => {
  const command = Array.from({ length: 1_700 }, (_, at) => wrapper(at))
    .join('')
    .slice(0, 9_990)
  const permissions = { bash: { '*': 'allow', 'rm *': 'deny' } }
  const { action, reasons } = judgeBash(`${command} rm x`, { permissions })
  expect([action, reasons.join()]).toEqual(['deny', expect.stringContaining('too many wrappers')])
  expect(leastProcessorMs(() => judgeBash(command, { permissions }), 50)).toBeLessThan(50)
})

test('SHELL-09 a thousand commands with a wildcard each are judged within 50 ms', () => {
  const command = 'cat *;'.repeat(1_660)
  const read = { '*': 'allow', '*.env': 'deny' }
  const permissions = { bash: { '*': 'allow' }, read }
  expect(judgeBash(command, { permissions }).action).toBe('ask')
  expect(leastProcessorMs(() => judgeBash(command, { permissions }), 50)).toBeLessThan(50)
})

test('SHELL-09 many variables that hold the output of commands are judged within 50 ms', () => {
  const permissions = { bash: { '*': 'allow' }, read: { '*': 'allow' } } as const
  const one = (_: unknown, at: number) => `F${at}=$(ls | head -1); cat "$F${at}"`
  const command = Array.from({ length: 60 }, one).join('; ')
  expect(leastProcessorMs(() => judgeBash(command, { permissions }), 50)).toBeLessThan(50)
})
