import { describe, expect, test } from 'vitest'
import { argumentPatternProblem } from '../../../../src/rules/gate/arguments/argument-pattern.ts'
import { leastProcessorMs } from '../../../support/processor-ms.ts'
import { actionBy, judgeArguments, judgeText } from '../support/judge-arguments.ts'

const issue = {
  repo: 'acme/web',
  labels: ['bug', 'ui'],
  count: 3,
  draft: false,
  milestone: null,
  author: { login: 'ada', teams: [{ name: 'web' }, { name: 'core' }] },
  grid: [
    [1, 2],
    [3, 4],
  ],
}

describe('rules on arguments', () => {
  test.each<[string, boolean]>([
    ['repo=acme/*', true],
    ['repo=acme/web', true],
    ['repo=acme', false],
    ['repo=acme/', false],
    ['repo=Acme/*', false],
    ['repo={acme,umbrella}/[vw]eb', true],
    ['repo=*', true],
    ['count=3', true],
    ['count=3*', true],
    ['count=03', false],
    ['draft=false', true],
    ['draft=true', false],
    ['milestone=null', true],
    ['milestone=*', true],
    ['author.login=ada', true],
    ['author=*', true],
    ['author={*}', false],
    ['author=?*', false],
    ['labels=*', true],
    ['labels=bug', false],
    ['labels[*]={bug,ui}', true],
    ['labels[*]=bug', false],
    ['labels[0]=bug', true],
    ['labels[1]=bug', false],
    ['labels[2]=*', false],
    ['author.teams[*].name={web,core}', true],
    ['author.teams[*].name=web', false],
    ['author.teams[1].name=core', true],
    ['grid[*][*]=[1-4]', true],
    ['grid[*][*]=[1-3]', false],
    ['grid[1][0]=3', true],
    ['repo=acme/* count=3', true],
    ['repo=acme/*  labels[0]=bug ', true],
    ['repo=acme/* count=4', false],
    ['missing=*', false],
    ['missing?=x repo=acme/*', true],
    ['repo?=acme/*', true],
    ['repo?=umbrella/*', false],
    ['repo.name=*', false],
    ['repo.name?=*', false],
    ['author.missing?=x', true],
    ['labels.length=2', false],
    ['constructor=*', false],
    ['repo[*]=*', false],
    ['*', true],
    ['**', true],
  ])('MCP-03 an allow by %s', (pattern, isAllowed) => {
    expect(argumentPatternProblem(pattern)).toBeUndefined()
    expect(actionBy(pattern, 'allow', issue)).toBe(isAllowed ? 'allow' : 'ask')
  })

  test.each<[string, 'allow' | 'ask' | 'deny']>([
    ['repo=acme/web', 'deny'],
    ['repo=ACME/Web', 'deny'],
    ['REPO=acme/*', 'deny'],
    ['repo=umbrella/*', 'allow'],
    ['labels[*]=ui', 'deny'],
    ['labels[*]=urgent', 'allow'],
    ['labels=ui', 'ask'],
    ['labels[0]=ui', 'allow'],
    ['labels[7]=ui', 'allow'],
    ['author.teams[*].name=core', 'deny'],
    ['author.teams[*].id=1', 'ask'],
    ['grid[*][*]=4', 'deny'],
    ['draft=false', 'deny'],
    ['force=true', 'ask'],
    ['force?=true', 'allow'],
    ['force=*', 'allow'],
    ['repo.name=web', 'ask'],
    ['milestone.title=x', 'ask'],
    ['repo=acme/* force=true', 'ask'],
    ['repo=umbrella/* force=true', 'allow'],
    ['repo=acme/* draft=false', 'deny'],
    ['*', 'deny'],
  ])('MCP-03 a deny by %s: %s', (pattern, action) => {
    expect(actionBy(pattern, 'deny', issue)).toBe(action)
    // A rule that asks asks for the same calls.
    expect(actionBy(pattern, 'ask', issue)).toBe(action === 'allow' ? 'allow' : 'ask')
  })

  test('MCP-03 empty arrays: no element was seen, so no allow holds, and none is denied', () => {
    expect(actionBy('labels[*]=bug', 'allow', { labels: [] })).toBe('ask')
    expect(actionBy('labels[*]?=bug', 'allow', { labels: [] })).toBe('allow')
    expect(actionBy('labels[*]=bug', 'deny', { labels: [] })).toBe('allow')
    expect(actionBy('labels[*]=bug', 'deny', { labels: 'bug' })).toBe('ask')
    expect(actionBy('items[*].repo=acme/*', 'allow', { items: [{ repo: 'acme/a' }, {}] })).toBe(
      'ask',
    )
  })

  test.each([
    ['acme/web\u200B', 'a zero-width space'],
    ['acme/\u202Ebew', 'a bidirectional override'],
    ['acme/web\u0000', 'a control character'],
    ['acme/\u00A0web', 'a blank that is none'],
    ['acme/we\u00ADb', 'a soft hyphen'],
  ])(
    'MCP-03 a value with unseen characters is not allowed by what it seems to match: %j (%s)',
    (repo) => {
      expect(actionBy('repo=acme/*', 'allow', { repo })).toBe('ask')
      expect(actionBy('repo=*', 'allow', { repo })).toBe('allow')
      expect(judgeArguments({ repo }).alwaysPatterns).toEqual([])
    },
  )

  test.each([
    'acme/secret',
    'ACME/Secret',
    ' acme/secret ',
    'acme/se\u200Bcret',
    'acme/secret\u0000',
    '\uFF41cme/secret',
    'acme\uFF0Fsecret',
  ])('MCP-03 a deny holds for every spelling of a value: %j', (repo) => {
    expect(actionBy('repo=acme/secret', 'deny', { repo })).toBe('deny')
  })

  test('MCP-03 normal forms: a deny takes both, an allow takes what the rule says', () => {
    expect(actionBy('name=caf\u00E9', 'deny', { name: 'cafe\u0301' })).toBe('deny')
    expect(actionBy('name=cafe\u0301', 'deny', { name: 'CAF\u00C9' })).toBe('deny')
    expect(actionBy('name=caf\u00E9', 'allow', { name: 'cafe\u0301' })).toBe('ask')
    expect(actionBy('n\u00E4me=x', 'deny', { 'na\u0308me': 'x' })).toBe('deny')
    expect(actionBy('n\u00E4me=x', 'allow', { 'na\u0308me': 'x' })).toBe('ask')
    expect(actionBy('repo=x', 'deny', { '\uFF52epo': 'x' })).toBe('deny')
    expect(actionBy('repo=x', 'allow', { repo: 'x', '\uFF52epo': 'y' })).toBe('ask')
  })

  test('MCP-03 two names that differ by case: a server may take either, so no allow holds', () => {
    const args = { repo: 'acme/web', Repo: 'evil/x' }
    expect(actionBy('repo=acme/*', 'allow', args)).toBe('ask')
    expect(actionBy('Repo=evil/*', 'allow', args)).toBe('ask')
    expect(actionBy('repo=acme/*', 'allow', { Repo: 'acme/web' })).toBe('ask')
    expect(actionBy('repo?=acme/*', 'allow', { Repo: 'evil/x' })).toBe('ask')
    expect(actionBy('repo=evil/*', 'deny', args)).toBe('deny')
  })

  test.each<[string, Record<string, unknown>]>([
    ["'a.b'=x", { 'a.b': 'x' }],
    ["'a b'.'c[0]'=x", { 'a b': { 'c[0]': 'x' } }],
    ["'it''s'=x", { "it's": 'x' }],
    ["'a=b'=x", { 'a=b': 'x' }],
    ["''=x", { '': 'x' }],
    ["'*'[*]=x", { '*': ['x', 'x'] }],
    ["a='two words'", { a: 'two words' }],
    ['a=two\\ words', { a: 'two words' }],
    ["a='fix the '*", { a: 'fix the tests' }],
    ["a='*'", { a: '*' }],
    ["a='don''t'", { a: "don't" }],
    ["a=don\\'t", { a: "don't" }],
    ["a='!x'", { a: '!x' }],
    ["a='(x)[y]{z,w}|\\'", { a: '(x)[y]{z,w}|\\' }],
    ['a=', { a: '' }],
    ['a=*b=c*', { a: 'x b=cd' }],
    ['größe_1-$=x', { 'größe_1-$': 'x' }],
    ["'\"'=x", { '"': 'x' }],
  ])('MCP-03 odd names and values are quoted: %s', (pattern, args) => {
    expect(argumentPatternProblem(pattern)).toBeUndefined()
    expect(actionBy(pattern, 'allow', args)).toBe('allow')
    expect(actionBy(pattern, 'deny', args)).toBe('deny')
    const [name = ''] = Object.keys(args)
    expect(actionBy(pattern, 'allow', { [`${name}x`]: args[name] })).toBe('ask')
  })

  test.each<[string, RegExp]>([
    ['acme/*', /^a condition has the form path=glob/],
    ['repo', /^a condition has the form path=glob/],
    ['=x', /^a condition begins with a name/],
    ['.a=x', /^a condition begins with a name/],
    ['a..b=x', /^a condition begins with a name/],
    ['a.=x', /^a condition begins with a name/],
    ['*=x', /^a condition begins with a name/],
    ['a[b]=x', /^write \[\*\] for each element/],
    ['a[-1]=x', /^write \[\*\]/],
    ['a[01]=x', /^write \[\*\]/],
    ['a[*=x', /^write \[\*\]/],
    ['a b=x', /^a condition has the form/],
    ["'a=x", /^a quote ' has no other half/],
    ["a='x", /^a quote ' has no other half/],
    ['a=!x', /write a rule that denies/],
    ['a=(x)', /groups alternatives/],
    [`a=${'x'.repeat(300)}`, /at most 256 characters/],
    ['a=*1*2*3*4*', /at most 3 stars/],
    [Array.from({ length: 17 }, (_, at) => `a${at}=x`).join(' '), /at most 16 conditions/],
    [`a${'.b'.repeat(40)}=x`, /at most 32 parts/],
    [`a=x ${'b=y '.repeat(300)}`, /at most 1000 characters/],
    ['{"a":1', /must be the whole arguments as JSON/],
    ['{a}', /must be the whole arguments as JSON/],
    ['{"a":1,"a":2}', /stands more than once/],
  ])('MCP-03 a pattern that is not understood says why: %s', (pattern, why) => {
    expect(argumentPatternProblem(pattern)).toMatch(why)
  })

  test('MCP-03 the last rule that matches wins, among rules of all kinds', () => {
    const permissions = {
      '*': 'ask',
      mcp__github__create_issue: {
        '*': 'ask',
        'repo=acme/*': 'allow',
        'repo=acme/* labels[*]=security': 'ask',
        'repo=acme/secret': 'deny',
        '{"repo": "acme/web", "labels": ["security"]}': 'allow',
      },
    }
    const judge = (args: Record<string, unknown>) => judgeArguments(args, { permissions }).action
    expect(judge({ repo: 'acme/web', labels: [] })).toBe('allow')
    expect(judge({ repo: 'acme/api', labels: ['security'] })).toBe('ask')
    expect(judge({ repo: 'acme/secret', labels: [] })).toBe('deny')
    expect(judge({ labels: ['security'], repo: 'acme/web' })).toBe('allow')
    expect(judge({ labels: ['security'], repo: 'acme/web', body: '' })).toBe('ask')
    expect(judge({ repo: 'umbrella/x' })).toBe('ask')
  })

  test('MCP-03 a rule that may apply asks, and says so; a later rule that matches takes it back', () => {
    const allowed = { '*': 'allow', 'force=true': 'deny' }
    const judged = judgeArguments({ repo: 'acme/a' }, { permissions: { mcp__github: allowed } })
    expect(judged).toMatchObject({
      action: 'ask',
      alwaysPatterns: [],
      asks: [{ why: 'undecided', about: 'github_create_issue "force=true"' }],
    })
    expect(judged.trace).toContainEqual(
      expect.objectContaining({ rule: 'worker: mcp__github "force=true" deny', action: 'ask' }),
    )
    const later = { ...allowed, 'repo=acme/*': 'allow' }
    expect(judgeArguments({ repo: 'acme/a' }, { permissions: { mcp__github: later } }).action).toBe(
      'allow',
    )
    expect(judgeArguments({ force: false }, { permissions: { mcp__github: allowed } }).action).toBe(
      'allow',
    )
  })

  test('MCP-03 a rule that may ask does not hide one that may deny, nor one that denies', () => {
    const rules = (action: string) => ({ '*': 'allow', 'a=1': action, 'b=1': 'ask' })
    const judge = (args: Record<string, unknown>) =>
      judgeArguments(args, { permissions: { mcp__github: rules('deny') } })
    expect(judge({ a: 1 }).action).toBe('deny')
    expect(judge({ c: 1 }).alwaysPatterns).toEqual([])
    expect(judge({ c: 1 }).action).toBe('ask')
    // Two questions that the arguments do not settle can be answered once for these arguments.
    const asking = judgeArguments({ c: 1 }, { permissions: { mcp__github: rules('ask') } })
    expect(asking).toMatchObject({ action: 'ask', alwaysPatterns: ['{"c":1}'] })
    const session = [
      {
        tool: 'github_create_issue',
        pattern: '{"c":1}',
        beats: asking.alwaysBeats?.['{"c":1}'] ?? [],
      },
    ]
    const again = { permissions: { mcp__github: rules('ask') }, session }
    expect(judgeArguments({ c: 1 }, again).action).toBe('allow')
    expect(judgeArguments({ c: 2 }, again).action).toBe('ask')
    // A grant that is counted is used up by it.
    const counted = session.map((grant) => ({ ...grant, id: 'g1', usesLeft: 1 }))
    expect(judgeArguments({ c: 1 }, { ...again, session: counted }).grants).toEqual(['g1'])
  })

  test('MCP-03 a veto of the operator that may apply asks even where the gate is switched off', () => {
    const operator = {
      mcp__github__create_issue: [{ pattern: 'force=true', action: 'deny' }],
    } as const
    const judge = (args: Record<string, unknown>) =>
      judgeArguments(args, { permissions: { '*': 'allow' }, operator }).action
    expect(judge({ force: true })).toBe('deny')
    expect(judge({ force: 'TRUE' })).toBe('deny')
    expect(judge({ force: false })).toBe('allow')
    expect(judge({})).toBe('ask')
  })

  test('GATE-03 the rules of the operator ignore case, and their allow takes no unseen characters', () => {
    const operator = {
      mcp__github__create_issue: [{ pattern: 'repo=Acme/*', action: 'allow' }],
    } as const
    const judge = (repo: string) => judgeArguments({ repo }, { permissions: {}, operator }).action
    expect(judge('acme/web')).toBe('allow')
    expect(judge('acme/w\u200Beb')).toBe('ask')
  })

  test('GATE-06 a rule for all tools that is about texts is tried on every text, and allows none', () => {
    const permissions = { '*': { '*': 'allow', '*.env': 'deny' }, mcp__github: 'allow' }
    const judge = (args: Record<string, unknown>) =>
      judgeArguments(args, { permissions: permissions }).action
    expect(judge({ a: [{ path: 'x/.ENV' }] })).toBe('allow')
    const last = { mcp__github: 'allow', '*': { '*.env': 'deny' } }
    expect(judgeArguments({ a: [{ path: 'x/.ENV' }] }, { permissions: last }).action).toBe('deny')
    expect(judgeArguments({ a: 'x' }, { permissions: last }).action).toBe('allow')
    expect(judgeArguments({ a: 'x' }, { permissions: { '*': { x: 'allow' } } }).action).toBe('ask')
  })

  test('GATE-09 a pattern for one tool that cannot be read denies and asks for every call, and allows none', () => {
    const judge = (action: string) =>
      judgeArguments(
        { repo: 'acme/a' },
        { permissions: { github_create_issue: { '*': 'allow', 'acme/*': action } } },
      ).action
    expect(judge('deny')).toBe('deny')
    expect(judge('ask')).toBe('ask')
    const only = { permissions: { github_create_issue: { 'acme/*': 'allow' } } }
    expect(judgeArguments({ repo: 'acme/a' }, only).action).toBe('ask')
  })

  test('MCP-03 a call whose text programs may read in different ways is invalid, whatever is allowed', () => {
    const setting = { permissions: { mcp__github: { 'repo=acme/*': 'allow', '*': 'allow' } } }
    expect(judgeText('{"repo":"acme/a"}', setting).action).toBe('allow')
    expect(judgeText('{"repo":"acme/a","repo":"evil/b"}', setting)).toMatchObject({
      action: 'invalid',
    })
    expect(judgeText('{"repo":"acme/a","x":[{"y":1,"y":1}]}', setting)).toMatchObject({
      action: 'invalid',
    })
    expect(judgeText('{"repo":"acme/a","n":9007199254740993}', setting)).toMatchObject({
      action: 'invalid',
    })
    expect(judgeText('{"repo":"acme/a","__proto__":{}}', setting)).toMatchObject({
      action: 'invalid',
    })
  })

  test('MCP-03 numbers are judged by their canonical text', () => {
    const setting = {
      permissions: { mcp__github: { '*': 'ask', 'n=100': 'allow', 'n=0': 'allow' } },
    }
    for (const text of ['100', '100.0', '1e2', '-0', '0.0']) {
      expect(judgeText(`{"n":${text}}`, setting).action).toBe('allow')
    }
    expect(judgeText('{"n":1000}', setting).action).toBe('ask')
  })

  test('MCP-03 arguments of 10,000 characters are judged in under 50 ms', () => {
    const patterns = Array.from({ length: 50 }, (_, at) => `rows[*].f${at}=*a*b*${at}`)
    const rules = Object.fromEntries(
      patterns.map((pattern, at) => [pattern, at % 2 ? 'deny' : 'allow']),
    )
    const permissions = { mcp__github: { '*': 'allow', 'text=+(a|b|ab)*c': 'deny', ...rules } }
    const calls = [
      { text: 'ab'.repeat(5_000) },
      { rows: Array.from({ length: 400 }, (_, at) => ({ [`f${at % 50}`]: 'aaaaab' })) },
      { rows: Array.from({ length: 2_000 }, () => ['a']) },
      Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`name${at}`, at])),
      { text: '\u202E\u0301'.repeat(5_000) },
    ]
    for (const args of calls) {
      expect(leastProcessorMs(() => judgeArguments(args, { permissions }), 50)).toBeLessThan(50)
    }
  })
})
