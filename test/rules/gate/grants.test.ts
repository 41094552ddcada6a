import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../../src/domain/verdict.ts'
import { explain } from '../../../src/rules/gate/explain/explain.ts'
import { addGrants } from '../../../src/rules/gate/permissions/add-grants.ts'
import { listGrants } from '../../../src/rules/gate/permissions/remove-grant.ts'
import type { Grant } from '../../../src/rules/gate/permissions/rule.ts'
import { reevaluate } from '../../../src/rules/gate/replay/rejudge.ts'
import { factsOf, judgeBash, judgeWith, type Setting, specOf } from './support/judge-with.ts'
import '../../support/run/fuzz-seed.ts'

type Args = Readonly<Record<string, unknown>>
const plain: Args = { '*': 'ask', read: 'allow', write: 'allow', bash: 'ask' }

/** What *Always* on a call makes, as sessions store it. */
function granted(tool: string, { alwaysPatterns, alwaysBeats = {} }: Verdict): readonly Grant[] {
  return alwaysPatterns.map((pattern) => ({ tool, pattern, beats: alwaysBeats[pattern] ?? [] }))
}

/** What the gate says of a call after *Always* on another one: by the session's grants, and by the worker's file. */
function afterAlways(
  setting: Setting,
  tool: string,
  first: Args,
  second: Args,
  later: Setting = setting,
): readonly string[] {
  const verdict = judgeWith(tool, first, setting)
  const { alwaysPatterns, alwaysBeats = {} } = verdict
  const text = JSON.stringify(setting.permissions ?? plain)
  const file = addGrants(text, tool, alwaysPatterns, 'by ada', alwaysBeats)
  return [
    judgeWith(tool, second, { ...later, session: granted(tool, verdict) }).action,
    judgeWith(tool, second, { ...later, permissions: file }).action,
  ]
}

const bash = (setting: Setting, first: string, second: string, later?: Setting) =>
  afterAlways(
    { permissions: plain, ...setting },
    'bash',
    { command: first },
    { command: second },
    later,
  )

const both = (action: string) => [action, action]
const ask = (...patterns: readonly string[]): Setting => ({
  operator: { bash: patterns.map((pattern) => ({ pattern, action: 'ask' as const })) },
})

describe('questions that a grant wins over', () => {
  test.each<[string, Setting, string, string]>([
    ['an operator’s rule', ask('*--tags*'), 'git push origin main', 'git push origin tagged--tags'],
    ['one that hides behind another', ask('git push *', 'git push x*'), 'git push a', 'git push x'],
    [
      'a rule of the file',
      { permissions: { bash: { '*': 'ask', 'git log --all *': 'ask' } } },
      'git log -3',
      'git log --all -3',
    ],
    ['a rule in another case', ask('*DROP TABLE*'), 'grep select x', "grep 'drop table' x"],
    [
      'a rule for the whole text',
      ask('*drop table*'),
      "git push origin main && echo 'drop table'",
      "git push origin 'drop table'",
    ],
    [
      'one that it met in another command of its call',
      ask('git push *', 'ls -R*'),
      'ls -l && git push a',
      'ls -R',
    ],
    ['wildcards that may stand for more', ask('cat src/b*'), 'cat src/a.ts', 'cat src/*.ts'],
  ])('APPR-07 SHELL-10 %s that its call did not meet asks again', (_, setting, first, second) => {
    expect(bash(setting, first, first)).toEqual(both('allow'))
    expect(bash(setting, first, second)).toEqual(both('ask'))
  })

  test('APPR-07 it wins over every rule that asked about its own call, whichever layer’s', () => {
    const setting: Setting = {
      agent: { bash: [{ pattern: 'git *', action: 'ask' }] },
      operator: { bash: [{ pattern: '*origin*', action: 'ask' }] },
      permissions: { bash: { '*': 'ask', 'git push *': 'ask' } },
    }
    const first = 'git push origin main'
    expect(judgeBash(first, setting).alwaysBeats).toEqual({
      'git push *': [
        'agent: bash "git *" ask',
        'operator: bash "*origin*" ask',
        'worker: bash "git push *" ask',
      ],
    })
    expect(bash(setting, first, 'git push origin dev')).toEqual(both('allow'))
    expect(bash(setting, first, 'git push other')).toEqual(both('allow'))
    // The other way round the rule for origin was not met.
    expect(bash(setting, 'git push other', first)).toEqual(both('ask'))
  })

  test('APPR-07 POL-06 a rule that comes later asks, and a bare * asks no more than no rule', () => {
    const later = { permissions: plain, ...ask('git push *') }
    expect(bash({}, 'git push a', 'git push b', later)[0]).toBe('ask')
    const star = { permissions: { bash: { '*': 'ask' } }, ...ask('*') }
    expect(bash({}, 'git push a', 'git push b', star)[0]).toBe('allow')
  })

  test('APPR-07 a rule without stored questions wins over those alone that ask about all it stands for', () => {
    const session = [{ tool: 'bash', pattern: 'git push *' }]
    const file = '{"bash": {"*": "ask",\n// granted by x\n"git push *": "allow"}}'
    const action = (command: string, ...patterns: string[]) => [
      judgeBash(command, { ...ask(...patterns), session }).action,
      judgeBash(command, { ...ask(...patterns), permissions: file }).action,
    ]
    expect(action('git push a')).toEqual(both('allow'))
    expect(action('git push a', 'git push *')).toEqual(both('allow'))
    expect(action('git push a', '* push *')).toEqual(both('allow'))
    expect(action('git push a', 'git push a')).toEqual(both('ask'))
    expect(action('git push a', 'git push ?*')).toEqual(both('ask'))
    expect(action('git push a; echo x', '*; echo*')).toEqual(both('ask'))
    const exact = [{ tool: 'bash', pattern: 'git push a' }]
    expect(judgeBash('git push a', { ...ask('*push a'), session: exact }).action).toBe('allow')
  })

  test('APPR-07 a grant of wildcards is not offered where they may stand for what another rule asks about', () => {
    const setting = { permissions: { ...plain, bash: { '*': 'ask', 'cat src/b*': 'ask' } } }
    expect(judgeBash('cat src/*.ts', setting).alwaysPatterns).toEqual([])
    expect(judgeBash('cat src/a.ts', setting).alwaysPatterns).toEqual(['cat *'])
  })

  test('SHELL-08 SHELL-10 Always on a text that a program may run does not stand for another text', () => {
    const programs =
      'env bash|ssh h|sudo -i|sudo python3 -|su x|timeout 5 bash|nsenter -t 1|docker run -i alpine|docker exec -i c tool|nix develop|lksh'
    for (const program of programs.split('|')) {
      const here = (text: string) => `${program} <<'EOF'\n${text}\nEOF`
      expect([program, ...bash({}, here('ls'), here('rm -rf x'))]).toEqual([program, 'ask', 'ask'])
      const piped = (text: string) => `echo '${text}' | ${program}`
      expect([program, ...bash({}, piped('ls'), piped('rm -rf x'))]).toEqual([
        program,
        ...both('ask'),
      ])
    }
    expect(bash({}, "git commit -F - <<'E'\na\nE", "git commit -F - <<'E'\nb\nE")).toEqual(
      both('allow'),
    )
  })

  test('SHELL-04 what a grant allows by itself it does not allow in a container', () => {
    const permissions = { bash: { '*': 'ask', 'docker exec *': 'ask', 'docker *': 'allow' } }
    const file = addGrants(JSON.stringify(permissions), 'bash', ['ls *'], 'by ada', {})
    expect(judgeBash('ls -l', { permissions: file }).action).toBe('allow')
    expect(judgeBash('docker exec prod ls -l', { permissions: file }).action).toBe('ask')
  })

  test('APPR-12 gate explain says why a grant does not win, and gate replay judges past grants by what they won over', () => {
    const setting = { permissions: plain, ...ask('git push x*') }
    const spec = specOf('bash')
    const session = granted('bash', judgeBash('git push a', setting))
    const args = { command: 'git push x' }
    const { decisions } = explain({ spec, args }, factsOf({ ...setting, session }))
    expect(decisions[0]?.why).toContain('asks for more than the call of the grant did')

    const wide = granted('bash', judgeBash('git push x', setting))
    const allowed = judgeBash('git push xy', { ...setting, session: wide })
    expect(allowed.action).toBe('allow')
    const past = {
      ...{ at: new Date(0), worker: 'w', tool: 'bash', answer: undefined, decidedBy: undefined },
      ...{ arguments: '{"command":"git push xy"}', callerId: 'x', verdict: 'allow' as const },
      trace: allowed.trace,
    }
    expect(reevaluate(past, factsOf(setting))).toMatchObject({ after: 'allow' })
    const tightened = { permissions: plain, ...ask('git push x*', 'git push xy') }
    expect(reevaluate(past, factsOf(tightened))).toMatchObject({ after: 'ask' })
  })
})

describe('what a grant of other tools stands for', () => {
  const files = { permissions: { '*': 'ask' } }

  test.each<[string, string, Args, Args, string]>([
    ['the same', 'write', { path: 'a' }, { path: './b/../a' }, 'allow'],
    ['below it', 'write', { path: 'a' }, { path: 'a/b' }, 'ask'],
    ['another', 'write', { path: 'a*' }, { path: 'ab' }, 'ask'],
    ['below what was deleted', 'delete_path', { path: 'a' }, { path: 'a/b' }, 'ask'],
    ['all below', 'delete_path', { path: 'a', recursive: false }, { path: 'a' }, 'ask'],
    ['less', 'delete_path', { path: 'a' }, { path: 'a', recursive: false }, 'allow'],
    ['below what was read', 'list_directory', { path: 'a' }, { path: 'a/b' }, 'allow'],
    [
      'the same copy',
      'copy_path',
      { source: 'a', destination: 'b' },
      { source: 'a', destination: 'b' },
      'allow',
    ],
    [
      'back',
      'copy_path',
      { source: 'a', destination: 'b' },
      { source: 'b', destination: 'a' },
      'ask',
    ],
    [
      'back',
      'move_path',
      { source: 'a', destination: 'b' },
      { source: 'b', destination: 'a' },
      'ask',
    ],
    [
      'another path',
      'fetch',
      { url: 'https://a.example/x' },
      { url: 'https://a.example/y' },
      'allow',
    ],
    [
      'another host',
      'fetch',
      { url: 'https://a.example/x' },
      { url: 'https://b.a.example/' },
      'ask',
    ],
    ['other arguments', 'server_tool', { a: 1 }, { a: 1, b: 2 }, 'ask'],
  ])('APPR-07 APPR-23 %s: %s %j, then %j: %s', (_, tool, first, second, action) => {
    expect(afterAlways(files, tool, first, second)).toEqual(both(action))
  })

  test('APPR-07 GATE-02 a path or an address that a rule asks about, which its call did not, asks again', () => {
    const setting: Setting = {
      permissions: { '*': 'ask', list_directory: { '*': 'ask', 'a/keys': 'ask' } },
      operator: { fetch: [{ pattern: 'https://a.example/admin*', action: 'ask' }] },
    }
    const list = (path: string) => afterAlways(setting, 'list_directory', { path: 'a' }, { path })
    expect([list('a/b'), list('a/keys')]).toEqual([both('allow'), both('ask')])
    const get = (path: string) =>
      afterAlways(
        setting,
        'fetch',
        { url: 'https://a.example/x' },
        { url: `https://a.example/${path}` },
      )
    expect([get('y'), get('admin')]).toEqual([both('allow'), both('ask')])
  })

  test('THREAT-32 a grant of writing is none for what a person sends, nor for a tool of a like name', () => {
    const session = [
      { tool: 'write', pattern: 'a', beats: [] },
      { tool: 'server_*', pattern: '*', beats: [] },
    ]
    expect(judgeWith('write', { path: 'a' }, { session }).action).toBe('allow')
    expect(judgeWith('put_file', { path: 'a' }, { session }).action).toBe('ask')
    expect(judgeWith('server_tool', {}, { session }).action).toBe('ask')
  })
})

describe('grants in the file of a worker', () => {
  const notes = {
    'git push *': ['operator: bash "git push *" ask', 'worker: bash "a\u2028\nb" ask'],
  }
  const text = addGrants('{"bash": "ask"}', 'bash', ['git push *', 'ls'], 'granted by ada', notes)

  test('APPR-07 the questions stand behind the note, in one line, and are read back', () => {
    expect(text).toContain(
      '// granted by ada over ["operator: bash \\"git push *\\" ask","worker: bash \\"a\\u2028\\nb\\" ask"]\n',
    )
    expect(text).toContain('// granted by ada over []\n    "ls": "allow"')
    expect(listGrants(text)).toEqual([
      { tool: 'bash', pattern: 'git push *', note: 'by ada', beats: notes['git push *'] },
      { tool: 'bash', pattern: 'ls', note: 'by ada', beats: [] },
    ])
  })

  test('APPR-07 the same pattern over other questions is a rule of its own, over fewer it is there already', () => {
    const again = (beats: readonly string[]) =>
      listGrants(addGrants(text, 'bash', ['git push *'], 'by bob', { 'git push *': beats })).length
    expect(again(['operator: bash "git push *" ask'])).toBe(2)
    expect(again([])).toBe(2)
    expect(again(['operator: bash "git push x" ask'])).toBe(3)
  })

  test('APPR-07 GATE-09 words that are damaged win over nothing but a bare *', () => {
    const file = '{"bash": {"*": "ask",\n// granted by x over ["operator\n"git push *": "allow"}}'
    expect(judgeBash('git push a', { permissions: file }).action).toBe('allow')
    expect(judgeBash('git push a', { ...ask('git push *'), permissions: file }).action).toBe('ask')
  })

  test('APPR-07 a session and a file say the same, whatever rules ask', () => {
    const pattern = fc.constantFrom('*', 'git *', 'git push *', '*main*', '*-u*', '* b', 'ls*')
    const rules = fc.dictionary(pattern, fc.constantFrom('ask', 'allow'), { maxKeys: 4 })
    const command = fc.constantFrom(
      ...['git push', 'git push a', 'git push -u a', 'git push a main', 'git push --force a'],
      ...['git log b', 'git push a b && ls', 'ls; ls main', 'git branch -D b', 'cat *.ts'],
    )
    fc.assert(
      fc.property(rules, rules, command, command, (own, operators, first, second) => {
        const operator = {
          bash: Object.entries(operators).map(([text, action]) => ({
            pattern: text,
            action: action as 'ask',
          })),
        }
        const [bySession, byFile] = bash(
          { permissions: { ...plain, bash: own }, operator },
          first,
          second,
        )
        expect(bySession).toBe(byFile)
        if (first !== second) return
        const { action, alwaysPatterns } = judgeBash(first, {
          permissions: { ...plain, bash: own },
          operator,
        })
        if (action === 'ask' && alwaysPatterns.length > 0) expect(bySession).toBe('allow')
      }),
      { numRuns: 300 },
    )
  })
})
