import { describe, expect, test } from 'vitest'
import { judgeBash } from '../support/judge-with.ts'
import { attackClasses } from './attack-classes.ts'
import { attacks } from './attacks.ts'
import { everyday } from './everyday.ts'
import { harmless as plain } from './harmless.ts'

const harmless = [...plain, ...everyday]

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

  test('SHELL-02 SHELL-03 SHELL-10 none of the listed ones runs silently', () => {
    const bash = { '*': 'allow', 'rm *': 'deny' } as const
    failing(attacks, (command) => actionOf(command, { bash, read }) !== 'allow')
  })

  test('SHELL-04 SHELL-10 none of the classes runs silently, and each says why', () => {
    failing(classes, (command) => {
      const verdict = judgeBash(command, { permissions: { bash: 'allow', read, write: 'allow' } })
      return verdict.action !== 'allow' && verdict.reasons.join('') !== ''
    })
  })

  test('SHELL-08 *Always* for one of the classes offers no wildcard that would cover more', () => {
    failing(classes, (command) => {
      const { alwaysPatterns } = judgeBash(command, { permissions: { bash: 'ask', read } })
      const session = alwaysPatterns.map((pattern) => ({ tool: 'bash', pattern }))
      const given = { permissions: { bash: 'ask', read, write: 'allow' }, session } as const
      const more = [`${command} more`, `${command}; id`]
      return more.every((other) => judgeBash(other, given).action !== 'allow')
    })
  })

  test('SHELL-01 SHELL-04 those that run rm are denied where rm is', () => {
    const denied = attacks.filter(([, , verdict]) => verdict === 'deny')
    for (const other of ['allow', 'ask'] as const) {
      const bash = { '*': other, 'rm *': 'deny' } as const
      failing(denied, (command) => actionOf(command, { bash, read }) === 'deny')
    }
  })

  test('SHELL-08 nothing that *Always* offers makes one of the listed ones silent unseen', () => {
    failing(attacks, (command) => {
      const { alwaysPatterns } = judgeBash(command, { permissions: { bash: 'ask', read } })
      const wide = /^(?:sudo|env|bash|sh|python|node|rm|find|git -c) \*$/
      return !alwaysPatterns.some((pattern) => wide.test(pattern))
    })
  })
})

describe('harmless commands', () => {
  test('SHELL-10 none is asked about', () => {
    failing(harmless, (command) => {
      const { action, reasons } = judgeBash(command, { permissions: silent })
      return action === 'allow' && reasons.length === 0
    })
  })

  test('SHELL-08 what *Always* offers for each makes it silent', () => {
    const permissions = { bash: 'ask', read, write: 'allow' } as const
    failing(harmless, (command) => {
      const { action, alwaysPatterns } = judgeBash(command, { permissions })
      const session = alwaysPatterns.map((pattern) => ({ tool: 'bash', pattern }))
      const after = judgeBash(command, { permissions, session }).action
      return action === 'ask' && alwaysPatterns.length > 0 && after === 'allow'
    })
  })
})

type Permissions = NonNullable<NonNullable<Parameters<typeof judgeBash>[1]>['permissions']>

function actionOf(command: string, permissions: Permissions): string {
  return judgeBash(command, { permissions }).action
}

/** Fails with all lines, and why they are listed, for which something does not hold. */
function failing(
  listed: readonly (string | readonly [command: string, ...more: unknown[]])[],
  holds: (command: string) => boolean,
): void {
  expect(listed.filter((item) => !holds(typeof item === 'string' ? item : item[0]))).toEqual([])
}
