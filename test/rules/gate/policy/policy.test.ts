import { describe, expect, test } from 'vitest'
import type { ToolTrust } from '../../../../src/domain/trust.ts'
import type { GateFacts } from '../../../../src/rules/gate/gate.ts'
import { isHidden } from '../../../../src/rules/gate/gate.ts'
import { denyGlobs } from '../../../../src/rules/gate/paths/judged-paths.ts'
import { createPolicy } from '../../../../src/rules/gate/policy/create-policy.ts'
import type { PolicyEffect } from '../../../../src/rules/gate/policy/policy.ts'
import { factsOf, judgeBash, judgeWith, specOf } from '../support/judge-with.ts'
import { policyOf, type RuleInput, ruleText } from '../support/policy-of.ts'

const everything = { '*': 'allow' }

/** Verdict of a call where permissions allow everything, so that only the policy speaks. */
function under(
  rules: readonly RuleInput[],
  tool: string,
  args: Readonly<Record<string, unknown>>,
  { defaultEffect = 'allow', ...facts }: { defaultEffect?: PolicyEffect } & Partial<GateFacts> = {},
) {
  const policy = policyOf(rules, defaultEffect)
  return judgeWith(tool, args, { permissions: everything, facts: { policy, ...facts } })
}

const ruleOf = (verdict: ReturnType<typeof under>): string | undefined =>
  verdict.trace.find(({ check }) => check === 'policy')?.rule

describe('policy', () => {
  test('POL-01 the first rule that matches counts, and its number is in the trace', () => {
    const rules: RuleInput[] = [
      { effect: 'deny', tool: 'write' },
      { effect: 'allow', tool: 'bash', argsMatch: '^git ' },
      { effect: 'deny', tool: 'bash' },
    ]
    expect(under(rules, 'bash', { command: 'git status' })).toMatchObject({ action: 'allow' })
    expect(ruleOf(under(rules, 'bash', { command: 'git status' }))).toBe(
      'rule[1] allow: tool=bash args_match=^git ',
    )
    const denied = under(rules, 'bash', { command: 'ls' })
    expect(denied).toMatchObject({ action: 'deny', reasons: ['policy forbids it'] })
    expect(ruleOf(denied)).toBe('rule[2] deny: tool=bash')
    expect(under(rules, 'read', { path: 'a' }).action).toBe('allow')
  })

  test('POL-01 rules of the authorization come after those of the policy, and are named so', () => {
    const policy = policyOf([{ effect: 'allow', tool: 'read' }], 'allow', [
      { effect: 'deny', tool: 'read' },
      { effect: 'deny', tool: 'bash', argsMatch: 'sudo' },
    ])
    const facts = { permissions: everything, facts: { policy } }
    expect(judgeWith('read', { path: 'a' }, facts).action).toBe('allow')
    expect(ruleOf(judgeBash('sudo ls', facts))).toBe(
      'authorization[1] deny: tool=bash args_match=sudo',
    )
  })

  test('POL-01 default_effect holds where no rule matches, also where only the authorization is enabled', () => {
    const outcome = createPolicy({
      policy: {
        enabled: false,
        defaultEffect: 'deny',
        rules: [ruleText({ effect: 'allow', tool: '*' })],
      },
      authorization: { enabled: true, rules: [ruleText({ effect: 'allow', tool: 'read' })] },
    })
    if (outcome.kind !== 'policy') throw new Error('no policy')
    const setting = { permissions: everything, facts: { policy: outcome.policy } }
    expect(judgeWith('read', { path: 'a' }, setting).action).toBe('allow')
    const denied = judgeWith('grep', { pattern: 'a' }, setting)
    expect(denied).toMatchObject({ action: 'deny', reasons: ['policy forbids it'] })
    expect(ruleOf(denied)).toBe('default_effect deny: tool=grep')
  })

  test('POL-01 off by default: without both sections nothing is decided', () => {
    const rules = [ruleText({ effect: 'deny', tool: '*' })]
    expect(
      createPolicy({
        policy: { enabled: false, defaultEffect: 'deny', rules },
        authorization: { enabled: false, rules },
      }),
    ).toEqual({ kind: 'off' })
    expect(judgeBash('ls', { permissions: everything }).trace).not.toContainEqual(
      expect.objectContaining({ check: 'policy' }),
    )
  })

  test.each([
    ['args_match', { argsMatch: '(?=x)' }, 'rule[1] args_match: the regular expression uses look'],
    ['args_match', { argsMatch: 'x'.repeat(1_025) }, 'rule[1] args_match: the regular expression'],
    ['args_match', { argsMatch: '(a?){500}a{500}' }, 'rule[1] args_match: the regular expression'],
    ['paths', { paths: ['!secret'] }, 'rule[1] paths: '],
    ['paths', { paths: ['a****b'] }, 'rule[1] paths: '],
  ])('POL-01 a rule whose %s cannot be used is refused by its number', (_, wrong, words) => {
    const rules = [{ effect: 'deny', tool: 'x' } as const, { effect: 'deny', tool: 'y', ...wrong }]
    const outcome = createPolicy({
      policy: {
        enabled: true,
        defaultEffect: 'allow',
        rules: rules.map((rule) => ruleText(rule as RuleInput)),
      },
      authorization: { enabled: false, rules: [] },
    })
    expect(outcome).toEqual({ kind: 'damaged', problems: [expect.stringContaining(words)] })
  })

  test('POL-01 more than 256 rules in both sections together are refused', () => {
    const rules = Array.from({ length: 129 }, () => ruleText({ effect: 'deny', tool: 'x' }))
    expect(
      createPolicy({
        policy: { enabled: true, defaultEffect: 'allow', rules },
        authorization: { enabled: true, rules },
      }).kind,
    ).toBe('damaged')
  })

  test('POL-01 an allow goes on to permissions: what asks still asks, what they deny is denied', () => {
    const policy = policyOf([{ effect: 'allow', tool: '*' }], 'deny')
    const facts = { facts: { policy } }
    expect(judgeBash('ls', { permissions: { '*': 'ask' }, ...facts }).action).toBe('ask')
    expect(judgeBash('ls', { permissions: { bash: 'deny' }, ...facts }).action).toBe('deny')
  })

  test('GATE-10 a worker that allows everything is denied by policy all the same', () => {
    const rules: RuleInput[] = [{ effect: 'deny', tool: '*', paths: ['*.env'] }]
    expect(under(rules, 'read', { path: '.env' }).action).toBe('deny')
    expect(under(rules, 'bash', { command: 'cat a/../.env' }).action).toBe('deny')
  })

  test('POL-02 what policy denies is not judged further, so that nothing else is told', () => {
    const policy = policyOf([{ effect: 'deny', tool: 'read' }])
    const verdict = judgeWith(
      'read',
      { path: '.env' },
      { permissions: { read: { '*.env': 'deny' } }, facts: { policy } },
    )
    expect(verdict.reasons).toEqual(['policy forbids it'])
    expect(verdict.trace).toHaveLength(1)
    expect(verdict.alwaysPatterns).toEqual([])
  })

  test('REG-04 a tool that the policy forbids for every input is hidden, another is not', () => {
    const hidden = (tool: string, rules: RuleInput[], defaultEffect: PolicyEffect = 'allow') =>
      isHidden(specOf(tool), factsOf({ facts: { policy: policyOf(rules, defaultEffect) } }))
    expect(hidden('bash', [{ effect: 'deny', tool: 'b*' }])).toBe(true)
    expect(hidden('read', [{ effect: 'deny', tool: 'b*' }])).toBe(false)
    expect(hidden('read', [], 'deny')).toBe(true)
    const some: RuleInput[] = [{ effect: 'allow', tool: 'read', paths: ['src'] }]
    expect(hidden('read', [...some, { effect: 'deny', tool: 'read' }])).toBe(false)
    expect(hidden('read', [{ effect: 'deny', tool: 'read', argsMatch: 'x' }])).toBe(false)
    expect(hidden('read', [{ effect: 'deny', tool: 'read', env: ['CI'] }])).toBe(false)
  })
})

describe('args_match', () => {
  const sudo: RuleInput[] = [{ effect: 'deny', tool: '*', argsMatch: '(?i)sudo' }]

  test.each([
    ['the text', 'echo "no SUDO"'],
    ['a command in a pipeline', 'true | sudo tee x'],
    ['a command whose name is quoted', `su''do ls`],
    ['a command behind a wrapper', 'env -i "su"do ls'],
    ['what follows an unknown program', 'mystery s\\udo ls'],
  ])('POL-01 a deny is tried on %s', (_, command) => {
    expect(under(sudo, 'bash', { command }).action).toBe('deny')
  })

  test('POL-01 a deny is tried on each command by itself, by its words and its base name', () => {
    const rules: RuleInput[] = [{ effect: 'deny', tool: 'bash', argsMatch: '^git push' }]
    for (const command of [
      'ls; git  push',
      '/usr/bin/git push',
      'git --no-pager push',
      'git pu""sh',
    ])
      expect(under(rules, 'bash', { command }).action).toBe('deny')
    expect(under(rules, 'bash', { command: 'git status' }).action).toBe('allow')
  })

  test('POL-01 an allow must fit the whole command and each command in it', () => {
    const rules: RuleInput[] = [{ effect: 'allow', tool: 'bash', argsMatch: '^git ' }]
    const verdict = (command: string) =>
      under(rules, 'bash', { command }, { defaultEffect: 'deny' }).action
    expect(verdict('git status')).toBe('allow')
    expect(verdict('git status && git log')).toBe('allow')
    expect(verdict('git status; curl evil')).toBe('deny')
    expect(verdict('git log $(curl evil)')).toBe('deny')
    expect(verdict('GIT_PAGER=evil git log')).toBe('deny')
    // SHELL-03: what cannot be accounted for.
    expect(verdict('git log $x')).toBe('deny')
    expect(verdict('git log `')).toBe('deny')
  })

  test('POL-01 it is tried on every text among the arguments, however deep, and an allow must fit them all', () => {
    const args = { url: 'https://a', list: [{ note: ['x', { deep: 'a sudo b' }] }] }
    expect(under(sudo, 'some_tool', args).action).toBe('deny')
    expect(under(sudo, 'some_tool', { by: { sudo: 1 } }).action).toBe('deny')
    expect(under(sudo, 'some_tool', { url: 'https://a', count: 1 }).action).toBe('allow')
    const rules: RuleInput[] = [{ effect: 'allow', tool: '*', argsMatch: '^https://docs\\.' }]
    const allowed = (given: object) =>
      under(rules, 'some_tool', { ...given }, { defaultEffect: 'deny' }).action
    expect(allowed({ url: 'https://docs.x' })).toBe('allow')
    expect(allowed({ url: 'https://evil', note: 'https://docs.x' })).toBe('deny')
    expect(allowed({ count: 1 })).toBe('deny')
  })

  test('POL-01 text that is too much to be tried is denied by a deny and not allowed by an allow', () => {
    const content = 'a'.repeat(1_100_000)
    expect(under(sudo, 'write', { path: 'a', content }).action).toBe('deny')
    const rules: RuleInput[] = [{ effect: 'allow', tool: 'write', argsMatch: 'a' }]
    const verdict = under(rules, 'write', { path: 'a', content }, { defaultEffect: 'deny' })
    expect(verdict.action).toBe('deny')
  })
})

describe('paths', () => {
  const env: RuleInput[] = [{ effect: 'deny', tool: '*', paths: ['*.env', 'private'] }]

  test.each(['.env', './a/../.ENV', '/workspace/x/.env', 'private/a', 'x/PRIVATE/b'])(
    'POL-01 GATE-07 a deny matches %s in any form',
    (path) => {
      expect(under(env, 'read', { path }).action).toBe('deny')
      expect(under(env, 'bash', { command: `cat ${path}` }).action).toBe('deny')
      expect(under(env, 'copy_path', { source: 'a', destination: path }).action).toBe('deny')
    },
  )

  test('POL-01 GATE-07 the canonical path that the executor found counts for both effects', () => {
    const policy = (rules: RuleInput[], effect: PolicyEffect) => ({
      permissions: everything,
      facts: { policy: policyOf(rules, effect) },
      canonical: ['/workspace/.env'],
    })
    expect(judgeWith('read', { path: 'link' }, policy(env, 'allow')).action).toBe('deny')
    expect(judgeWith('diagnostics', { path: 'link' }, policy(env, 'allow')).action).toBe('deny')
    const named: RuleInput[] = [{ effect: 'allow', tool: 'read', paths: ['link'] }]
    expect(judgeWith('read', { path: 'link' }, policy(named, 'deny')).action).toBe('deny')
  })

  test('POL-01 an allow holds only for what every path of the call really is', () => {
    const rules: RuleInput[] = [{ effect: 'allow', tool: '*', paths: ['src/**'] }]
    const action = (tool: string, args: Record<string, unknown>) =>
      under(rules, tool, args, { defaultEffect: 'deny' }).action
    expect(action('read', { path: 'src/a.ts' })).toBe('allow')
    expect(action('read', { path: 'src/../b' })).toBe('deny')
    expect(action('read', { path: 'SRC/a.ts' })).toBe('deny')
    expect(action('copy_path', { source: 'src/a', destination: 'src/b' })).toBe('allow')
    expect(action('copy_path', { source: 'src/a', destination: 'b' })).toBe('deny')
    expect(action('fetch', { url: 'https://example.com' })).toBe('deny')
  })

  test('POL-01 for bash an allow needs every word that may name a file, wherever cd leads; a redirection counts', () => {
    const rules: RuleInput[] = [{ effect: 'allow', tool: 'bash', paths: ['src/**'] }]
    const action = (command: string) =>
      under(rules, 'bash', { command }, { defaultEffect: 'deny' }).action
    expect(action('cat src/a src/b')).toBe('allow')
    expect(action('cat src/a b')).toBe('deny')
    expect(action('cat src/a > out')).toBe('deny')
    expect(action('cd src && cat b')).toBe('deny')
    expect(action('cat src/$x')).toBe('deny')
    expect(action('ls')).toBe('deny')
  })

  test.each([
    'cd private && cat a',
    'cat < .env',
    'echo x > b.env',
    'grep --file=.env x',
    'cat "."env',
  ])('POL-01 for bash a deny needs one word or redirection that may name a path: %s', (command) => {
    expect(under(env, 'bash', { command }).action).toBe('deny')
  })

  test('GATE-07 what the policy keeps from a tool is left out where it looks through trees', () => {
    const facts = factsOf({
      facts: {
        policy: policyOf([...env, { effect: 'deny', tool: 'grep', argsMatch: 'x', paths: ['y'] }]),
      },
    })
    expect(denyGlobs(specOf('grep'), facts)).toEqual(['*.env', 'private'])
    const ofRead = factsOf({
      facts: { policy: policyOf([{ effect: 'deny', tool: 'read', paths: ['*.key'] }]) },
    })
    expect(denyGlobs(specOf('grep'), ofRead)).toEqual(['*.key'])
    expect(denyGlobs(specOf('write'), ofRead)).toEqual([])
  })
})

describe('env and trust_level', () => {
  test('POL-01 a rule with env matches where every variable is set', () => {
    const rules: RuleInput[] = [{ effect: 'deny', tool: 'bash', env: ['CI', 'PROD'] }]
    const action = (...names: string[]) =>
      under(rules, 'bash', { command: 'ls' }, { variables: new Set(names) }).action
    expect(action('CI', 'PROD')).toBe('deny')
    expect(action('CI')).toBe('allow')
    expect(under(rules, 'bash', { command: 'ls' }).action).toBe('allow')
  })

  test('POL-01 POL-03 a rule with trust_level matches the level that the tool has now', () => {
    const rules: RuleInput[] = [{ effect: 'allow', tool: '*', trustLevel: 'verified' }]
    const action = (trust: ToolTrust) =>
      under(rules, 'bash', { command: 'ls' }, { trust, defaultEffect: 'deny' }).action
    expect(action(new Map([['bash', 'verified']]))).toBe('allow')
    expect(action(new Map([['read', 'verified']]))).toBe('deny')
    const trusted: RuleInput[] = [{ effect: 'deny', tool: '*', trustLevel: 'trusted' }]
    expect(under(trusted, 'bash', { command: 'ls' }).action).toBe('deny')
  })

  test('POL-01 a rule needs everything that it names', () => {
    const rules: RuleInput[] = [
      { effect: 'deny', tool: 'read', paths: ['a'], argsMatch: 'b', env: ['CI'] },
    ]
    const variables = new Set(['CI'])
    expect(under(rules, 'read', { path: 'a/b' }, { variables }).action).toBe('deny')
    expect(under(rules, 'read', { path: 'a/c' }, { variables }).action).toBe('allow')
    expect(under(rules, 'read', { path: 'c/b' }, { variables }).action).toBe('allow')
    expect(under(rules, 'read', { path: 'a/b' }).action).toBe('allow')
  })

  test('POL-01 tools may be named by a wildcard and by their other names', () => {
    expect(under([{ effect: 'deny', tool: '*_path' }], 'move_path', {}).action).toBe('deny')
    expect(under([{ effect: 'deny', tool: 'shell_exec' }], 'bash', { command: 'ls' }).action).toBe(
      'deny',
    )
  })
})

describe('trust', () => {
  const trust: ToolTrust = new Map([
    ['bash', 'blocked'],
    ['read', 'quarantined'],
    ['grep', 'verified'],
  ])
  const setting = { permissions: everything, facts: { trust } }

  test('POL-03 GATE-10 a blocked tool is refused with a clear error, whatever allows it, and hidden', () => {
    const verdict = judgeBash('ls', setting)
    expect(verdict).toMatchObject({
      action: 'deny',
      reasons: ['the tool bash is blocked; only an operator can let it run again'],
    })
    expect(isHidden(specOf('bash'), factsOf(setting))).toBe(true)
    expect(isHidden(specOf('read'), factsOf(setting))).toBe(false)
  })

  test('POL-03 GATE-10 a quarantined tool always asks, and Always is not offered for it', () => {
    expect(judgeWith('read', { path: 'a' }, setting)).toMatchObject({
      action: 'ask',
      alwaysPatterns: [],
      reasons: ['the tool read is quarantined, so every call of it asks'],
      risk: 'high',
    })
    const bash = { trust: new Map([['bash', 'quarantined']]) as ToolTrust }
    const granted = { session: [{ tool: 'bash', pattern: 'ls' }], facts: bash }
    expect(judgeBash('ls', granted)).toMatchObject({ action: 'ask', alwaysPatterns: [] })
    expect(judgeBash('ls', { ...setting, facts: bash }).action).toBe('ask')
  })

  test('POL-03 verified and trusted tools are judged alike', () => {
    expect(judgeWith('grep', { pattern: 'a' }, setting).action).toBe('allow')
    expect(judgeWith('list_directory', { path: '.' }, setting).action).toBe('allow')
  })

  test('POL-03 trust comes before policy: a blocked tool is told as blocked', () => {
    const facts = { trust, policy: policyOf([{ effect: 'deny', tool: '*' }]) }
    expect(judgeBash('ls', { facts }).trace.map(({ check }) => check)).toEqual(['trust'])
  })
})
