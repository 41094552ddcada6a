import { describe, expect, test } from 'vitest'
import { toolName } from '../../../../src/config/schema/schema-rules.ts'
import type { ApproverSettings } from '../../../../src/domain/approvers.ts'
import { messagesOf } from '../../../../src/domain/messages/messages.ts'
import { alwaysWithin } from '../../../../src/rules/gate/always-within.ts'
import { approvalSubject } from '../../../../src/rules/gate/approval-subject.ts'
import { approverRule } from '../../../../src/rules/gate/approver-rule.ts'
import { explain } from '../../../../src/rules/gate/explain/explain.ts'
import { isHidden } from '../../../../src/rules/gate/gate.ts'
import { operatorLayer } from '../../../../src/rules/gate/permissions/operator-layer.ts'
import { readPermissions } from '../../../../src/rules/gate/permissions/read-permissions.ts'
import type { PastCall } from '../../../../src/rules/gate/replay/past-call.ts'
import { reevaluate } from '../../../../src/rules/gate/replay/rejudge.ts'
import { candidatesOf, Miner, Trial } from '../../../../src/rules/gate/suggest/miner.ts'
import { type FindTool, toolFinder } from '../../../../src/rules/tools/presumed-tool.ts'
import { judgeArguments, serverTool } from '../support/judge-arguments.ts'
import { factsOf, workspace } from '../support/judge-with.ts'
import { policyOf } from '../support/policy-of.ts'

const tool = 'github_create_issue'
const other = serverTool({ name: tool, origin: { server: 'github_create', tool: 'issue' } })

const settings: ApproverSettings = {
  allowSelf: true,
  roles: { low: 'user', medium: 'user', high: 'user' },
  people: { low: 1, medium: 1, high: 1 },
  quorum: [],
}

function quorumOf(
  named: string,
  pattern: string,
  args: Record<string, unknown>,
  spec = serverTool(),
) {
  const quorum = [{ tool: named, pattern, people: 3 }]
  const subject = approvalSubject({ spec, args }, { workspace })
  const call = { tool: spec.name, risk: 'medium', subject } as const
  const always = judgeArguments(args, {}, spec).alwaysPatterns
  return {
    people: approverRule(call, { ...settings, quorum }).people,
    always: alwaysWithin(call, spec, always, { ...settings, quorum }),
    anything: alwaysWithin(call, spec, ['*'], { ...settings, quorum }),
  }
}

describe('rules on arguments in other places', () => {
  test.each<[string, string, Record<string, unknown>, number]>([
    ['github_*', 'repo=acme/*', { repo: 'ACME/web' }, 3],
    ['mcp__github__create_issue', 'labels[*]=security', { labels: ['ui', 'security'] }, 3],
    ['mcp__github', '*', {}, 3],
    // What the arguments do not tell counts as what the pattern is about.
    ['mcp__github', 'repo=acme/*', {}, 3],
    ['mcp__github', 'repo=acme/*', { repo: 'umbrella/x' }, 1],
    ['mcp__gitlab', '*', {}, 1],
    [tool, '*acme*', { note: 'x' }, 3],
  ])('APPR-12 MCP-03 a quorum for %s %s and %j: %i people', (named, pattern, args, people) => {
    expect(quorumOf(named, pattern, args).people).toBe(people)
  })

  test('APPR-12 THREAT-4 Always offers these arguments beside a stricter quorum, and never any arguments', () => {
    const { always, anything } = quorumOf('mcp__github', 'repo=acme/*', { repo: 'umbrella/*' })
    expect(always).toEqual(['{"repo":"umbrella/*"}'])
    expect(anything).toEqual([])
  })

  test('POL-01 MCP-03 the policy names tools of servers by server and tool', () => {
    const under = (rules: Parameters<typeof policyOf>[0], spec = serverTool()) =>
      judgeArguments(
        { repo: 'acme/a' },
        { permissions: { '*': 'allow' }, facts: { policy: policyOf(rules) } },
        spec,
      ).action
    expect(under([{ effect: 'deny', tool: 'mcp__github__create_issue' }])).toBe('deny')
    expect(under([{ effect: 'deny', tool: 'mcp__github__*', argsMatch: '^acme/' }])).toBe('deny')
    expect(under([{ effect: 'deny', tool: 'mcp__gitlab__*' }])).toBe('allow')
    const only = [
      { effect: 'allow', tool: 'mcp__github__create_issue' },
      { effect: 'deny', tool: '*' },
    ] as const
    expect(under(only)).toBe('allow')
    expect(under(only, other)).toBe('deny')
    const policy = policyOf([{ effect: 'deny', tool: 'mcp__github' }])
    expect(isHidden(serverTool(), factsOf({ facts: { policy } }))).toBe(true)
    expect(isHidden(other, factsOf({ facts: { policy } }))).toBe(false)
  })

  test('REG-04 a tool of a server that is denied for every input is hidden, by either name', () => {
    for (const name of [tool, 'mcp__github__create_issue', 'mcp__github', 'github_*']) {
      expect(isHidden(serverTool(), factsOf({ permissions: { [name]: 'deny' } })), name).toBe(true)
    }
    expect(isHidden(serverTool(), factsOf({ permissions: { [tool]: { 'a=1': 'deny' } } }))).toBe(
      false,
    )
  })

  test('MCP-03 an allow for one server does not reach another of the same joined name, a deny for both does', () => {
    const by = (name: string, action: string) =>
      [serverTool(), other].map(
        (spec) => judgeArguments({}, { permissions: { [name]: action } }, spec).action,
      )
    expect(by('mcp__github__create_issue', 'allow')).toEqual(['allow', 'ask'])
    expect(by('mcp__github_create__issue', 'allow')).toEqual(['ask', 'allow'])
    expect(by('mcp__github__*', 'allow')).toEqual(['allow', 'ask'])
    expect(by(tool, 'deny')).toEqual(['deny', 'deny'])
  })

  test('GATE-09 a pattern under mcp__ that is no condition damages the file, and names its line', () => {
    const text =
      '{\n  "mcp__github__create_issue": {\n    "repo=acme/*": "allow",\n    "acme/*": "deny"\n  }\n}'
    expect(readPermissions(text, { home: workspace })).toMatchObject({
      kind: 'damaged',
      problems: [{ line: 4, message: 'a condition has the form path=glob, such as repo=acme/*' }],
    })
    const shell = { blocked_commands: [], confirm_patterns: [] }
    const table = { mcp__github: [{ pattern: 'repo', action: 'deny' }] } as const
    expect(operatorLayer({ permissions: table, shell }, true)).toMatchObject({ kind: 'damaged' })
  })

  test('GATE-04 names of servers are no typing errors', () => {
    const rules = readPermissions('{"mcp__github__create_issue": "allow", "mcp__x": "ask"}', {
      home: workspace,
    })
    expect(rules).not.toHaveProperty('notes')
  })

  test('GATE-02 a rule before the * of its tool is noted, as the last one that matches wins', () => {
    const notes = (rules: string) => {
      const read = readPermissions(`{"mcp__github__create_issue": {\n${rules}\n}}`, {
        home: workspace,
      })
      return read.kind === 'rules' ? read.notes : []
    }
    expect(notes('"repo=acme/*": "allow",\n"*": "ask"')).toEqual([
      { line: 2, message: '"*" in line 3 comes after "repo=acme/*" and wins: put "*" first' },
    ])
    expect(notes('"*": "ask",\n"repo=acme/*": "allow"')).toBeUndefined()
    expect(notes('"repo=acme/*": "ask",\n"*": "ask"')).toBeUndefined()
    expect(notes('"*": "ask",\n// granted by ada\n"{}": "allow",\n"*": "ask"')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('stands for') }),
    ])
  })

  test('APPR-21 examples are the JSON of a call, and fail like others', () => {
    const read = (rules: string) =>
      readPermissions(`{"mcp__github__create_issue": {\n${rules}\n}}`, { home: workspace })
    const holding = read(`// deny: {"repo":"evil/x"}
      // ask: {"title":"x"}
      "*": "ask",
      // match: {"repo":"acme/x","n":1}
      // no match: {"repo":"umbrella/x"}
      // no match: acme/x
      // allow: {"repo":"acme/x"}
      "repo=acme/*": "allow",
      "repo?=evil/*": "deny"`)
    expect(holding).toMatchObject({ kind: 'rules' })
    expect(holding).not.toHaveProperty('failed')
    const failing = read(
      '"*": "ask",\n// match: {"repo":"umbrella/x"}\n// allow: acme/x\n"repo=acme/*": "allow"',
    )
    expect(failing).toMatchObject({ failed: [{ line: 3 }, { line: 4 }] })
    const joined = readPermissions(
      `{"${tool}": {\n"*": "ask",\n// match: {"a":1}\n// no match: {"a":2}\n"a=1": "allow"}}`,
      { home: workspace },
    )
    expect(joined).not.toHaveProperty('failed')
  })

  test('APPR-12 explain shows every rule on the arguments that matches, and the one that decides', () => {
    const permissions = { '*': 'ask', mcp__github: { 'repo=acme/*': 'allow', 'draft=true': 'ask' } }
    const { verdict, decisions } = explain(
      { spec: serverTool(), args: { repo: 'acme/a' } },
      factsOf({ permissions }),
    )
    expect(verdict.action).toBe('ask')
    expect(decisions.at(-1)).toMatchObject({
      tool,
      about: '{"repo":"acme/a"}',
      action: 'ask',
      matched: [
        { rule: 'worker: * "*" ask', won: false },
        { rule: 'worker: mcp__github "repo=acme/*" allow', won: false },
        { rule: 'worker: mcp__github "draft=true" ask', won: true },
      ],
    })
  })

  test.each(['en', 'de', 'es'] as const)(
    'MCP-02 MCP-03 cards say why they ask, in %s',
    (language) => {
      const { asks } = messagesOf(language).cards
      const about = `${tool} "force=true"`
      const said = [asks.person({ about }), asks.undecided({ about }), asks.none({ about })]
      for (const sentence of said) expect(sentence).toContain(about)
      expect(new Set(said).size).toBe(3)
    },
  )
})

function past(args: unknown, call: Partial<PastCall> = {}): PastCall {
  return {
    at: new Date(0),
    worker: 'default',
    tool,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
    verdict: 'ask',
    answer: 'approved',
    decidedBy: 'console:ada',
    callerId: 'console:ada',
    trace: [],
    ...call,
  }
}

describe('past calls of the tools of servers', () => {
  const find = toolFinder(['github'])
  const allowing = factsOf({
    permissions: { '*': 'ask', [tool]: { '*': 'ask', 'repo=acme/*': 'allow' } },
  })

  test('APPR-12 are judged by other rules', () => {
    expect(reevaluate(past({ repo: 'acme/a' }), allowing, find)).toMatchObject({
      kind: 'judged',
      before: 'ask',
      after: 'allow',
      by: `worker: ${tool} "repo=acme/*" allow`,
    })
    expect(reevaluate(past({ repo: 'umbrella/a' }), allowing, find)).toMatchObject({ after: 'ask' })
    const byAlias = factsOf({
      permissions: { mcp__github__create_issue: { 'repo=acme/*': 'deny' } },
    })
    expect(reevaluate(past({ repo: 'acme/a' }), byAlias, find)).toMatchObject({ after: 'deny' })
  })

  test('APPR-12 are uncertain where the server is gone, or the text is no call', () => {
    for (const [call, finder] of [
      [past({ repo: 'acme/a' }), toolFinder([])],
      [past({ repo: 'acme/a' }), toolFinder(['github', 'github_create'])],
      [past('{"repo":"acme/a","repo":"evil/b"}'), find],
      [past({ repo: '[redacted:token]' }), find],
    ] as const) {
      expect(reevaluate(call, allowing, finder)).toMatchObject({ kind: 'uncertain' })
    }
  })

  test('MCP-02 that asked for a person still do, whatever other rules say', () => {
    const trace = [{ check: 'person', action: 'ask', reason: 'requires a person' }] as const
    expect(reevaluate(past({ repo: 'acme/a' }, { trace }), allowing, find)).toMatchObject({
      after: 'ask',
    })
  })

  test('APPR-21 are proposed exactly, and only of a tool that changes nothing', () => {
    const asking = factsOf({ permissions: { '*': 'ask' } })
    const reading: FindTool = () => serverTool({ mutating: false })
    const calls = [
      past({ repo: 'acme/a', q: 'x*' }),
      past({ q: 'x*', repo: 'acme/a' }),
      past({ repo: 'acme/b' }),
    ]
    const propose = (finder: FindTool, refused: readonly PastCall[] = []) => {
      const miner = new Miner(finder)
      for (const call of calls) miner.learn(call, asking)
      const trial = new Trial(miner.proposals(2), finder)
      for (const call of refused) trial.refused(call, asking)
      return trial.proposals.map(({ pattern, approvals }) => [pattern, approvals])
    }
    expect(propose(reading)).toEqual([['{"q":"x*","repo":"acme/a"}', 2]])
    expect(propose(find)).toEqual([])
    const denied = past({ repo: 'acme/a', q: 'x*' }, { answer: 'denied' })
    expect(propose(reading, [denied])).toEqual([])
    expect(propose(reading, [past({ repo: 'acme/b' }, { answer: 'denied' })])).toHaveLength(1)
  })

  test('CARD-07 a habit is about what Always offers: exactly these arguments', () => {
    const spec = serverTool({ mutating: false })
    const asking = factsOf({ permissions: { '*': 'ask' } })
    const [candidate] = candidatesOf(spec, { a: 1 }, asking)
    expect(candidate?.exact).toBe(judgeArguments({ a: 1 }, {}, spec).alwaysPatterns[0])
    expect(candidatesOf({ ...spec, requiresPerson: true }, { a: 1 }, asking)).toEqual([])
  })
})

test('MCP-03 the configuration takes the name of any tool by its server', () => {
  const longest = `mcp__${'s'.repeat(32)}__${'t'.repeat(64)}`
  expect(toolName().safeParse(longest).success).toBe(true)
  expect(toolName().safeParse(`${longest}tt`).success).toBe(false)
})
