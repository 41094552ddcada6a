import { describe, expect, test } from 'vitest'
import type { ApproverSettings } from '../../../src/domain/approvers.ts'
import type { Role } from '../../../src/domain/caller.ts'
import type { Risk } from '../../../src/domain/verdict.ts'
import { approvalSubject } from '../../../src/rules/gate/approval-subject.ts'
import { approverRule, mayApprove } from '../../../src/rules/gate/approver-rule.ts'
import { judgeWith, specOf, workspace } from './support/judge-with.ts'

const plain: ApproverSettings = {
  allowSelf: true,
  roles: { low: 'user', medium: 'approver', high: 'operator' },
  people: { low: 1, medium: 1, high: 3 },
  quorum: [],
}

function ruleOf(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  quorum: ApproverSettings['quorum'],
  canonical: readonly string[] = [],
) {
  const subject = approvalSubject({ spec: specOf(tool), args, canonical }, { workspace })
  return approverRule({ tool, risk: 'medium', subject }, { ...plain, quorum })
}

const peopleFor = (...given: Parameters<typeof ruleOf>) => ruleOf(...given).people
const bash = (command: string, pattern: string) =>
  peopleFor('bash', { command }, [{ tool: 'bash', pattern, people: 2 }])

describe('what one call needs', () => {
  test.each(['low', 'medium', 'high'] as const)(
    'APPR-17 a %s risk has its own role and number',
    (risk) => {
      const subject = { texts: [], paths: [], isOpaque: false }
      expect(approverRule({ tool: 'bash', risk, subject }, plain)).toEqual({
        leastRole: plain.roles[risk],
        people: plain.people[risk],
        allowSelf: true,
      })
    },
  )

  test('APPR-12 of the tier and every quorum that speaks of it the most people count', () => {
    const quorum = [2, 5, 4].map((people) => ({ tool: '*', pattern: '*', people }))
    expect(peopleFor('bash', { command: 'ls' }, quorum)).toBe(5)
    expect(peopleFor('bash', { command: 'ls' }, [])).toBe(1)
    const subject = { texts: [], paths: [], isOpaque: false }
    const low = [{ tool: 'x', pattern: '*', people: 2 }]
    expect(
      approverRule({ tool: 'x', risk: 'high', subject }, { ...plain, quorum: low }).people,
    ).toBe(3)
  })

  test.each([
    ['git push origin main', 'git push *'],
    ['ls; git push', 'git push *'],
    ['sudo git push', 'git push *'],
    ['echo $(git push)', 'git push *'],
    ['/usr/bin/git push', 'git push *'],
    ['git --no-pager push', 'git push *'],
    ['GIT PUSH', 'git push *'],
    ['unknown-wrapper git push', 'git push *'],
    ['echo a && echo b', '*a && echo*'],
    ['A=1', 'git push *'],
  ])('APPR-12 %j needs two under the pattern %j', (command, pattern) => {
    expect(bash(command, pattern)).toBe(2)
  })

  test.each([
    ['git pull', 'git push *'],
    ['echo git push', 'git push *'],
  ])('APPR-12 %j does not under the pattern %j', (command, pattern) => {
    expect(bash(command, pattern)).toBe(1)
  })

  test.each([
    ['write', { path: 'src/../Deploy/prod.yml' }, 'deploy/*'],
    ['write', { path: 'a/b/.env' }, '.env'],
    ['write_file', { path: '/workspace/deploy/x' }, 'deploy'],
    ['move_path', { source: 'a', destination: 'deploy/a' }, 'deploy/*'],
    ['fetch', { url: 'https://Prod.example.com/x' }, 'prod.example.com'],
    ['fetch', { url: 'https://prod.example.com/x' }, 'https://prod.*'],
    ['skill', { name: 'deploy' }, 'deploy'],
    ['github_merge', { any: 1 }, '*'],
  ])('APPR-12 %s %j needs two under the pattern %j', (tool, args, pattern) => {
    const own = tool === 'write_file' ? 'write' : tool
    expect(peopleFor(own, args, [{ tool, pattern, people: 2 }])).toBe(2)
    expect(peopleFor(own, args, [{ tool: 'other', pattern, people: 2 }])).toBe(1)
  })

  test('APPR-12 a link counts as what it leads to', () => {
    const quorum = [{ tool: 'w*', pattern: 'deploy/*', people: 2 }]
    expect(peopleFor('write', { path: 'link' }, quorum)).toBe(1)
    expect(peopleFor('write', { path: 'link' }, quorum, ['/workspace/deploy/x'])).toBe(2)
    expect(
      peopleFor('write', { path: 'workspace-notes' }, [
        { ...quorum[0], pattern: 'workspace' } as never,
      ]),
    ).toBe(1)
  })
})

describe('who may approve', () => {
  const other = { isSelf: false, isAsked: false }
  const rule = (leastRole: Role, allowSelf = true) => ({ leastRole, allowSelf, people: 1 })

  test.each([
    ['user', 'user', false],
    ['user', 'approver', true],
    ['approver', 'approver', true],
    ['operator', 'approver', false],
    ['operator', 'operator', true],
  ] as const)(
    'APPR-17 CHAT-02 where the least role is %s, the call of another: a(n) %s %s',
    (least, role, may) => {
      expect(mayApprove({ role, ...other }, rule(least))).toBe(may)
    },
  )

  test.each([
    ['user', 'user', true, true],
    ['user', 'user', false, false],
    ['approver', 'user', true, false],
    ['approver', 'approver', true, true],
    ['approver', 'operator', false, false],
  ] as const)(
    'APPR-17 where it is %s, a(n) %s approves an own call, allow_self being %s: %s',
    (least, role, allowSelf, may) => {
      expect(mayApprove({ role, isSelf: true, isAsked: true }, rule(least, allowSelf))).toBe(may)
    },
  )

  test('APPR-19 whoever was asked by name may where their role suffices', () => {
    const asked = { role: 'user', isSelf: false, isAsked: true } as const
    expect(mayApprove(asked, rule('user'))).toBe(true)
    expect(mayApprove(asked, rule('approver'))).toBe(false)
  })
})

describe('the tier', () => {
  const riskOf = (
    tool: string,
    args: Readonly<Record<string, unknown>>,
    allowed: string[] = [],
  ): Risk => judgeWith(tool, args, { facts: { allowedPaths: allowed } }).risk

  test.each([
    ['read', { path: 'a' }, 'low'],
    ['write', { path: 'a' }, 'low'],
    ['bash', { command: 'git push' }, 'medium'],
    ['bash', { command: 'echo x > out.txt' }, 'medium'],
    ['bash', { command: 'sort < in.txt >> out/all.txt' }, 'medium'],
    ['bash', { command: 'echo x > ../out.txt' }, 'high'],
    ['bash', { command: 'echo x > .git/hooks/pre-commit' }, 'high'],
    ['bash', { command: 'rm a' }, 'high'],
    ['bash', { command: 'ls | xargs rm' }, 'high'],
    ['bash', { command: '/usr/bin/curl https://example.com' }, 'high'],
    ['bash', { command: 'sudo ls' }, 'high'],
    ['delete_path', { path: 'a' }, 'high'],
    ['fetch', { url: 'https://example.com' }, 'high'],
  ] as const)('APPR-17 %s %j is %s', (tool, args, risk) => {
    expect(riskOf(tool, args)).toBe(risk)
  })

  test('APPR-17 a place outside the workspace is high, also where it may be reached', () => {
    expect(riskOf('read', { path: '/srv/a' }, ['/srv', workspace])).toBe('high')
    expect(riskOf('read', { path: 'a' }, ['/srv', workspace])).toBe('low')
  })
})
