import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action } from '../../../src/domain/verdict.ts'
import type { GateFacts } from '../../../src/rules/gate/gate.ts'
import { addGrants } from '../../../src/rules/gate/permissions/add-grants.ts'
import { defaultPermissions } from '../../../src/rules/gate/permissions/default-permissions.ts'
import type { PastCall } from '../../../src/rules/gate/replay/past-call.ts'
import { reevaluate } from '../../../src/rules/gate/replay/rejudge.ts'
import { Miner, type Proposal, Trial } from '../../../src/rules/gate/suggest/miner.ts'
import { attacks } from './shell/attacks.ts'
import { factsOf, type Setting } from './support/judge-with.ts'

function past(command: string, call: Partial<PastCall> = {}): PastCall {
  return {
    at: new Date(0),
    worker: 'default',
    tool: 'bash',
    arguments: JSON.stringify({ command }),
    verdict: 'ask',
    answer: 'approved',
    decidedBy: 'console:ada',
    callerId: 'console:ada',
    trace: [],
    ...call,
  }
}

function suggest(calls: readonly PastCall[], facts: GateFacts, min = 2): readonly Proposal[] {
  const miner = new Miner()
  for (const call of calls) miner.learn(call, facts)
  const trial = new Trial(miner.proposals(min))
  for (const call of calls) trial.refused(call, facts)
  return trial.proposals
}

const asking = { permissions: { '*': 'ask', bash: { '*': 'ask', 'rm *': 'deny' } } } as const
const facts = factsOf(asking)

const patterns = (calls: readonly PastCall[], setting: Setting = asking) =>
  suggest(calls, factsOf(setting)).map(({ pattern }) => pattern)

const twice = (...commands: readonly string[]) => commands.flatMap((one) => [past(one), past(one)])

describe('suggestions', () => {
  test('APPR-21 what was approved often enough is proposed exactly, with who approved it', () => {
    const calls = [
      ...twice('git log -3', 'git status'),
      past('git log -3', { decidedBy: 'slack:u' }),
    ]
    expect(suggest([...calls, past('ls')], facts)).toMatchObject([
      {
        tool: 'bash',
        pattern: 'git log -3',
        approvals: 3,
        people: { 'console:ada': 2, 'slack:u': 1 },
        examples: ['git log -3'],
      },
      { pattern: 'git status', approvals: 2 },
    ])
  })

  test('APPR-21 a pattern is proposed only where several different commands like it were approved', () => {
    expect(patterns(twice('git log -3', 'git log -5'))).toEqual(['git log -3', 'git log -5'])
    expect(patterns(twice('git log -3', 'git log -5', 'git log'))).toEqual(['git log *'])
    // Of others only the exact commands, as some of their forms do more than look.
    const tags = twice('git branch a', 'git branch b', 'git branch c')
    expect(patterns(tags)).toEqual(['git branch a', 'git branch b', 'git branch c'])
  })

  test('APPR-21 each command of a line gets its rule, unless a rule allows it already', () => {
    const setting = { permissions: { bash: { '*': 'ask', 'ls *': 'allow' } } }
    expect(patterns(twice('ls && git status | wc -l'), setting)).toEqual(['git status', 'wc -l'])
  })

  test.each([
    ...[
      'rm -r build',
      'sudo ls',
      'python x.py',
      'node x.js',
      'bash -c ls',
      'npx thing',
      './run.sh',
    ],
    ...['git push', 'git reset --hard', 'git clean -fd', 'git checkout .', 'git branch -D x'],
    ...['curl https://example.com', 'npm publish', 'kubectl get pods', 'docker rm x', 'mv a b'],
    ...[
      'cat /etc/hosts',
      'ls ../x',
      'ls > out',
      'ls $HOME',
      'find . -delete',
      'xargs ls',
      'git -c a=b log',
    ],
    ...['terraform apply', 'npm install x', 'sed -i s/a/b/ x', 'ls; rm x'],
  ])('APPR-21 %j is never proposed, however often it was approved', (command) => {
    expect(patterns(Array.from({ length: 20 }, () => past(command)))).toEqual([])
  })

  test.each(attacks.map(([command]) => command))('APPR-21 SHELL-10 nor is %j', (command) => {
    const usual = factsOf({ permissions: defaultPermissions })
    const proposed = suggest(twice(command), usual)
    expect(proposed.every(({ pattern }) => !/\b(?:rm|sh|curl)\b/.test(pattern))).toBe(true)
    expect(new Trial(proposed).sparing(past(command), usual)).toEqual([])
  })

  test('APPR-21 nothing that somebody or a rule refused, not even once, not even as a part', () => {
    const denied = { answer: 'denied' }
    const calls = [...twice('git log -3', 'git status'), past('git log -3', denied)]
    expect(patterns(calls)).toEqual(['git status'])
    expect(patterns([...calls, past('git status && git log', denied)])).toEqual(['git status'])
    const byRule = past('git status', { verdict: 'deny', answer: undefined })
    expect(patterns([...calls, byRule])).toEqual([])
    // A refusal of one form leaves those that were approved.
    const wide = [...twice('git log -3', 'git log -5', 'git log'), past('git log --all', denied)]
    expect(patterns(wide)).toEqual(['git log -3', 'git log -5', 'git log'])
  })

  test('APPR-21 a refused call whose arguments are not known as a whole counts by its words', () => {
    const cut = past('git log [redacted:token]', { answer: 'denied' })
    expect(patterns([...twice('git log', 'ls'), cut])).toEqual(['ls'])
  })

  test('APPR-21 what nobody answered, what the time ended and what needed no question teaches nothing', () => {
    for (const call of [
      { answer: 'expired', decidedBy: undefined },
      { answer: 'granted', decidedBy: undefined },
      { verdict: 'allow' as const, answer: undefined },
    ]) {
      expect(patterns([past('ls', call), past('ls', call)])).toEqual([])
    }
  })

  test('APPR-21 files and addresses: exactly, then the host; never outside or what deletes', () => {
    const tool = (name: string, args: object) =>
      past('', { tool: name, arguments: JSON.stringify(args) })
    const read = tool('read', { path: 'docs/[a].md' })
    const page = (path: string) => tool('fetch', { url: `https://docs.example.com/${path}` })
    const proposed = suggest(
      [
        ...[read, read, page('a'), page('a'), page('b')],
        ...[tool('delete_path', { path: 'x' }), tool('delete_path', { path: 'x' })],
        ...[tool('read', { path: '/etc/passwd' }), tool('read', { path: '/etc/passwd' })],
        ...[tool('list_directory', { path: '.' }), tool('list_directory', { path: '.' })],
      ],
      facts,
    )
    expect(proposed.map(({ tool: name, pattern }) => `${name} ${pattern}`)).toEqual([
      'read docs/\\[a\\].md',
      'fetch https://docs.example.com/a',
    ])
    const three = ['a', 'b', 'c'].map(page)
    expect(suggest(three, facts)).toMatchObject([{ tool: 'fetch', pattern: 'docs.example.com' }])
  })

  test('APPR-21 by what is proposed, no call that a person or a rule refused runs, whatever was approved', () => {
    const command = fc.constantFrom(
      ...[
        'git log',
        'git log -3',
        'git log --all',
        'git status',
        'ls',
        'ls -l',
        'ls src',
        'npm test',
      ],
      ...[
        'ls && git log',
        'git status | wc -l',
        'wc -l',
        'npm test && ls',
        'rm x',
        'git push',
        'ls; rm x',
      ],
    )
    const call = fc
      .tuple(command, fc.constantFrom('approved', 'approved', 'approved', 'denied', 'rule'))
      .map(([text, end]) =>
        end === 'rule'
          ? past(text, { verdict: 'deny', answer: undefined })
          : past(text, { answer: end }),
      )
    const pattern = fc.constantFrom('*', 'git *', 'ls *', 'rm *', 'git log --all')
    const rules = fc.dictionary(pattern, fc.constantFrom<Action>('ask', 'deny', 'allow'))
    fc.assert(
      fc.property(fc.array(call, { maxLength: 40 }), rules, (calls, bash) => {
        const text = JSON.stringify({ bash })
        const before = factsOf({ permissions: text })
        const proposals = suggest(calls, before)
        const added = proposals.reduce(
          (whole, { tool, pattern: one }) => addGrants(whole, tool, [one], 'by gate suggest'),
          text,
        )
        const after = factsOf({ permissions: added })
        for (const refused of calls.filter(({ answer }) => answer !== 'approved')) {
          const now = reevaluate(refused, before)
          if (now.kind !== 'judged' || now.after === 'allow') continue
          expect(reevaluate(refused, after)).not.toMatchObject({ after: 'allow' })
        }
      }),
      { numRuns: 300 },
    )
  })
})
