import { describe, expect, test } from 'vitest'
import { judgeBash } from '../support/judge-with.ts'
import { attackClasses } from './attack-classes.ts'
import { attacks as listed } from './attacks.ts'
import { everyday } from './everyday.ts'
import { harmless as plain } from './harmless.ts'

const harmless = [...plain, ...everyday]

/** As tuples of equal length, so that a title can name each. */
const attacks = listed.map(([command, why, verdict]) => [command, why, verdict] as const)

const read = {
  '*': 'allow',
  '*.env': 'deny',
  '*secret*': 'deny',
  '*.key': 'deny',
} as const

const classes = Object.entries(attackClasses).flatMap(([why, commands]) =>
  commands.map((command) => [command, why] as const),
)

const programs = [...new Set(harmless.flatMap((line) => line.match(/[A-Za-z0-9_/.[+-]+/g) ?? []))]
const silent = {
  bash: Object.fromEntries(
    programs.flatMap((program) =>
      [program, program.split('/').at(-1)].map((name) => [`${name} *`, 'allow']),
    ),
  ),
  read,
  write: 'allow',
}

describe('attacks', () => {
  test('SHELL-10 the corpus is as large as it is said to be', () => {
    expect(attacks.length + classes.length).toBeGreaterThanOrEqual(400)
    expect(harmless.length).toBeGreaterThanOrEqual(200)
  })

  test.each(attacks)('SHELL-02 SHELL-03 SHELL-10 %j never runs silently (%s)', (command) => {
    const bash = { '*': 'allow', 'rm *': 'deny' }
    expect(judgeBash(command, { permissions: { bash, read } }).action).not.toBe('allow')
  })

  test.each(classes)('SHELL-04 SHELL-10 %j never runs silently (%s)', (command) => {
    const verdict = judgeBash(command, { permissions: { bash: 'allow', read, write: 'allow' } })
    expect(verdict.action).not.toBe('allow')
    expect(verdict.reasons.join('')).not.toBe('')
  })

  test.each(classes)(
    'SHELL-08 *Always* for %j offers no wildcard that would cover more (%s)',
    (command) => {
      const { alwaysPatterns } = judgeBash(command, { permissions: { bash: 'ask', read } })
      const session = alwaysPatterns.map((pattern) => ({ tool: 'bash', pattern }))
      for (const other of [`${command} more`, `${command}; id`]) {
        const given = { permissions: { bash: 'ask', read, write: 'allow' }, session }
        expect(judgeBash(other, given).action).not.toBe('allow')
      }
    },
  )

  test.each(attacks.filter(([, , verdict]) => verdict === 'deny'))(
    'SHELL-01 SHELL-04 %j is denied where rm is (%s)',
    (command) => {
      const bash = { '*': 'allow', 'rm *': 'deny' }
      expect(judgeBash(command, { permissions: { bash, read } }).action).toBe('deny')
      const asking = { '*': 'ask', 'rm *': 'deny' }
      expect(judgeBash(command, { permissions: { bash: asking, read } }).action).toBe('deny')
    },
  )

  test.each(attacks)(
    'SHELL-08 nothing that *Always* offers makes %j silent unseen (%s)',
    (command) => {
      const { alwaysPatterns } = judgeBash(command, { permissions: { bash: 'ask', read } })
      for (const pattern of alwaysPatterns)
        expect(pattern).not.toMatch(/^(?:sudo|env|bash|sh|python|node|rm|find|git -c) \*$/)
    },
  )
})

describe('harmless commands', () => {
  test.each(harmless)('SHELL-10 %j is not asked about', (command) => {
    const verdict = judgeBash(command, { permissions: silent })
    expect(verdict.reasons).toEqual([])
    expect(verdict.action).toBe('allow')
  })

  test.each(harmless)('SHELL-08 what *Always* offers for %j makes it silent', (command) => {
    const asked = judgeBash(command, { permissions: { bash: 'ask', read, write: 'allow' } })
    expect(asked.action).toBe('ask')
    expect(asked.alwaysPatterns.length).toBeGreaterThan(0)
    const session = asked.alwaysPatterns.map((pattern) => ({ tool: 'bash', pattern }))
    const given = { permissions: { bash: 'ask', read, write: 'allow' }, session }
    expect(judgeBash(command, given).action).toBe('allow')
  })
})
