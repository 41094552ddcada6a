import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { explain } from '../../../../src/rules/gate/explain/explain.ts'
import { evaluateCall } from '../../../../src/rules/gate/gate.ts'
import { attacks } from '../shell/attacks.ts'
import { factsOf, type Setting, specOf } from '../support/judge-with.ts'

function explainWith(tool: string, args: Readonly<Record<string, unknown>>, setting: Setting = {}) {
  return explain({ spec: specOf(tool), args }, factsOf(setting))
}

const bash = (command: string, setting: Setting = {}) => explainWith('bash', { command }, setting)

describe('explain', () => {
  test('APPR-12 it says of each command which rules match, layer by layer, and which decides', () => {
    const { verdict, decisions } = bash('git push origin main && ls', {
      operator: { bash: [{ pattern: 'git push *', action: 'ask' }] },
      permissions: { bash: { '*': 'ask', 'git *': 'allow', 'rm *': 'deny' } },
      session: [{ tool: 'bash', pattern: 'git push origin main' }],
    })
    expect(verdict.action).toBe('ask')
    expect(decisions).toEqual([
      {
        tool: 'bash',
        about: 'git push origin main',
        action: 'allow',
        why: 'it is the last rule that matches',
        matched: [
          {
            layer: 'operator',
            rule: 'operator: bash "git push *" ask',
            action: 'ask',
            grant: false,
            won: false,
          },
          {
            layer: 'worker',
            rule: 'worker: bash "*" ask',
            action: 'ask',
            grant: false,
            won: false,
          },
          {
            layer: 'worker',
            rule: 'worker: bash "git *" allow',
            action: 'allow',
            grant: false,
            won: true,
          },
          {
            layer: 'session',
            rule: 'session: bash "git push origin main" allow',
            action: 'allow',
            grant: true,
            won: false,
          },
        ],
      },
      expect.objectContaining({ about: 'ls', action: 'ask' }),
    ])
  })

  test.each<[string, Setting, string, RegExp]>([
    [
      'a veto',
      { operator: { bash: [{ pattern: 'ls', action: 'deny' }] }, permissions: { bash: 'allow' } },
      'deny',
      /deny of the operator's rules is final/,
    ],
    ['a deny of the file', { permissions: { bash: 'deny' } }, 'deny', /which no grant undoes/],
    [
      'a bare star',
      {
        operator: { bash: [{ pattern: 'ls *', action: 'allow' }] },
        permissions: { bash: 'ask' },
      },
      'allow',
      /a bare \* of the worker’s file does not override/,
    ],
    [
      'a grant',
      { permissions: { bash: 'ask' }, session: [{ tool: 'bash', pattern: 'ls' }] },
      'allow',
      /granted turns ask into allow/,
    ],
    ['nothing', { permissions: {} }, 'ask', /no rule matches/],
    ['a damaged file', { permissions: '{ "bash": "yes" }' }, 'ask', /damaged \(line 1/],
    ['the switch', { permissions: { '*': 'allow' } }, 'allow', /switched off/],
  ])('APPR-12 GATE-02 it says why: %s', (_, setting, action, why) => {
    const { decisions } = bash('ls', setting)
    expect(decisions[0]).toMatchObject({ action, why: expect.stringMatching(why) })
  })

  test('APPR-12 SHELL-04 what a wrapper runs, hazards, redirections and paths are told', () => {
    const setting = {
      permissions: {
        bash: { '*': 'allow', 'rm *': 'deny' },
        read: { '*': 'allow', '*.env': 'deny' },
      },
    } as const
    const { analysis, decisions } = bash('sudo rm x; cat .env > out.txt; touch $X', setting)
    expect(analysis?.commands.map(({ words, standing }) => [words.join(' '), standing])).toEqual([
      ['sudo rm x', 'plain'],
      ['rm x', 'wrapped'],
      ['x', 'perhaps'],
      ['cat .env', 'plain'],
      ['touch $X', 'plain'],
    ])
    expect(analysis?.commands[0]?.hazards).toEqual(['sudo runs other commands'])
    expect(analysis?.redirections).toMatchObject([{ use: 'write', path: 'out.txt' }])
    expect(analysis?.hazards).toEqual(['it is not made of literal words (simple expansion)'])
    const told = decisions.map(({ tool, about, action }) => `${tool} ${about} ${action}`)
    expect(told).toContain('bash rm x deny')
    expect(told).toContain('write out.txt ask')
    expect(told).toContain('read .env deny')
  })

  test('APPR-12 files, addresses and tools without a value too', () => {
    const file = explainWith('move_path', { source: 'a.env', destination: 'b' })
    expect(file.decisions.map(({ tool, about }) => `${tool} ${about}`)).toEqual([
      'move_path a.env',
      'read a.env',
      'move_path b',
      'write b',
    ])
    expect(file.analysis).toBeUndefined()
    const permissions = { fetch: { '*.example.com': 'allow' }, diagnostics: 'deny' }
    const page = explainWith('fetch', { url: 'https://a.example.com/' }, { permissions })
    expect(page.decisions[0]?.matched[0]).toMatchObject({ won: true })
    const nameless = explainWith('diagnostics', {}, { permissions })
    expect(nameless.decisions).toMatchObject([{ about: '', action: 'deny' }])
  })

  test('APPR-12 GATE-02 it never says anything else than the gate, and each decision has the rule it names', () => {
    const pattern = fc.constantFrom('*', 'git *', 'rm *', 'cat *', 'curl *', 'sudo *', 'sh')
    const action = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const)
    const rules = fc.dictionary(pattern, action, { maxKeys: 4 })
    const command = fc.constantFrom(...attacks.map(([text]) => text))
    fc.assert(
      fc.property(command, rules, (text, bashRules) => {
        const facts = factsOf({ permissions: { bash: bashRules } })
        const call = { spec: specOf('bash'), args: { command: text } }
        const { verdict, decisions } = explain(call, facts)
        expect(verdict).toEqual(evaluateCall(call, facts))
        for (const { matched } of decisions) {
          expect(matched.filter(({ won }) => won).length).toBeLessThanOrEqual(1)
        }
        const named = decisions.flatMap(({ matched }) => matched.map(({ rule }) => rule))
        for (const { rule } of verdict.trace) if (rule !== undefined) expect(named).toContain(rule)
      }),
      { numRuns: 200 },
    )
  })
})
