import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Action } from '../../../src/domain/verdict.ts'
import { attacks } from './shell/attacks.ts'
import { harmless } from './shell/harmless.ts'
import { judgeBash, judgeWith } from './support/judge-with.ts'

const action = fc.constantFrom<Action>('allow', 'ask', 'deny')
const commandPattern = fc.constantFrom(
  ...['*', 'git *', 'git push *', 'GIT *', '*push*', 'rm *', 'sudo *', 'cat *', './a *', 'a *'],
  ...['/bin/rm *', '/usr/bin/git *', '"git" *', 'curl *', 'sh *', 'ls', 'echo *', 'git? *'],
)
const pathPattern = fc.constantFrom(
  ...['*', '*.env', 'src/*', 'src', '**/.env', '/etc/**', '/workspace/src/*', 'SRC/a', '~/x'],
)

/** So few that they are walked one by one. */
const few = (pattern: fc.Arbitrary<string>) => fc.dictionary(pattern, action, { maxKeys: 5 })

/** So many more that all are looked up; none of them can match. */
const unrelated: Readonly<Record<string, Action>> = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`unrelated${index} /unrelated/*`, 'deny' as const]),
)
const padded = (rules: Readonly<Record<string, Action>>) => ({ ...unrelated, ...rules })

function toTable(rules: Readonly<Record<string, Action>>) {
  return Object.entries(rules).map(([pattern, said]) => ({ pattern, action: said }))
}

const commands = [...attacks.map(([command]) => command), ...harmless]

test('PERF-01 SHELL-02 many rules that speak of other programs change no verdict on a command', () => {
  const layers = fc.record({ bash: few(commandPattern), read: few(pathPattern) })
  fc.assert(
    fc.property(
      fc.constantFrom(...commands),
      layers,
      few(commandPattern),
      (command, worker, operator) => {
        const alone = judgeBash(command, {
          permissions: worker,
          operator: { bash: toTable(operator) },
        })
        const among = judgeBash(command, {
          permissions: { bash: padded(worker.bash), read: padded(worker.read) },
          operator: { bash: toTable(padded(operator)) },
        })
        expect(among).toEqual(alone)
      },
    ),
    { numRuns: 400 },
  )
})

test('PERF-01 GATE-07 nor on a path', () => {
  const path = fc.constantFrom(
    ...['src/a', '.env', './src/../.ENV', '/etc/passwd', 'SRC/A', '~/x', 'a/.env/b', 'src', '.'],
  )
  fc.assert(
    fc.property(path, few(pathPattern), few(pathPattern), (given, worker, operator) => {
      const alone = judgeWith(
        'read',
        { path: given },
        { permissions: { read: worker }, operator: { read: toTable(operator) } },
      )
      const among = judgeWith(
        'read',
        { path: given },
        { permissions: { read: padded(worker) }, operator: { read: toTable(padded(operator)) } },
      )
      expect(among).toEqual(alone)
    }),
    { numRuns: 300 },
  )
})
