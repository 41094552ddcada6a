import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refuseCommand } from '../../../../src/executor/bash/refuse-command.ts'
import { checkDriver } from '../../../../src/rules/gate/checks/driver-refusal.ts'
import { judgeBash } from '../support/judge-with.ts'

const workspace = '/srv/work'

function gateRefuses(command: string, commandPaths: readonly string[]): boolean {
  return checkDriver(command, false, { refusesByLook: true, workspace, commandPaths }).length > 0
}

function boxRefuses(command: string, allowed: readonly string[]): boolean {
  const rules = { workspace, allowed, denyRead: [], allowRead: [], denyByRule: [], masked: [] }
  return refuseCommand(command, rules, new Set(['network', 'outside'])) !== undefined
}

describe('what a driver refuses by its look', () => {
  test('BOX-09 is denied before anybody is asked', () => {
    const facts = { refusesByLook: true }
    for (const command of ['curl https://x.dev', 'cat /etc/hosts', 'cp -r ../other .']) {
      const verdict = judgeBash(command, { facts })
      expect([command, verdict.action]).toEqual([command, 'deny'])
      expect(verdict.reasons.join()).toContain('the sandbox driver "process" refuses it')
    }
    expect(judgeBash('make deploy', { facts }).action).toBe('ask')
    expect(judgeBash('cat /etc/hosts').action).toBe('ask')
  })

  test('BOX-09 so is a background command where commands cannot write its log', () => {
    const deny = (commandPaths: readonly string[], isBackground = true) =>
      checkDriver('make', isBackground, { workspace, commandPaths }).length > 0
    expect([deny(['/srv/other']), deny(['/srv/work/src'])]).toEqual([true, true])
    expect([deny([]), deny(['/srv']), deny(['/srv/work', '/x'])]).toEqual([false, false, false])
    expect(deny(['/srv/other'], false)).toBe(false)
  })

  test('BOX-09 THREAT-34 gate and box read every command alike', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'curl',
        'cat',
        '/usr/bin/ssh',
        '/etc/hosts',
        '../x',
        '~/a',
        '~bob/a',
        '$HOME/x',
      ),
      fc.constantFrom(
        '--file=/etc/x',
        '-I/usr/include',
        'a:/b',
        '/srv/work/a',
        '/srv/other/b',
        '/dev/null',
      ),
      fc.constantFrom(
        '</dev/tcp/h/1',
        '$HOME/../x',
        'https://x.dev/../y',
        "'c'url",
        'c\\url',
        '/',
        '..',
      ),
      fc.string({ maxLength: 6 }),
    )
    const joint = fc.constantFrom(' ', ';', ' && ', ' | ', '\n', ' > ', '$(', '`')
    const command = fc
      .array(fc.tuple(word, joint), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.flat().join(''))
    const allowed = fc.constantFrom([], ['/srv/work', '/srv/other'])
    fc.assert(
      fc.property(command, allowed, (text, paths) => {
        expect(gateRefuses(text, paths)).toBe(boxRefuses(text, paths))
      }),
    )
  })
})
