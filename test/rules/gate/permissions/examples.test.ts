import { describe, expect, test } from 'vitest'
import { evaluateCall } from '../../../../src/rules/gate/gate.ts'
import { allowsEverything } from '../../../../src/rules/gate/permissions/allows-everything.ts'
import { readPermissions } from '../../../../src/rules/gate/permissions/read-permissions.ts'
import type { WorkerRules } from '../../../../src/rules/gate/permissions/rule.ts'
import { factsOf, specOf, workspace } from '../support/judge-with.ts'

function read(text: string): WorkerRules {
  return readPermissions(text, { home: workspace })
}

/** `line: message` of what does not hold; a damaged text is a mistake of the test. */
function failed(text: string): readonly string[] {
  const rules = read(text)
  if (rules.kind === 'damaged') throw new Error(JSON.stringify(rules.problems))
  return (rules.failed ?? []).map(({ line, message }) => `${line}: ${message}`)
}

function action(text: string, tool: string, args: Readonly<Record<string, unknown>>) {
  return evaluateCall({ spec: specOf(tool), args }, factsOf({ facts: { worker: read(text) } }))
    .action
}

const holding = `{
  "read": {
    "*": "allow",
    // match: .env
    // match: a/../.ENV
    // no match: .env.example
    "*.env": "deny"
  },
  "bash": {
    // ask: curl example.org
    // deny: ls | rm -rf /
    "*": "ask",
    // match: git push
    // match: cd src && git push origin main
    //no match: ./git push
    "git push *": "allow", // no match: git status
    "rm *": "deny" // match: sudo rm -rf x
    // allow: git push origin main
  },
  "fetch": {
    // match: https://docs.example.com/x
    // no match: https://example.com.evil.org/
    "*.example.com": "allow"
  },
  "skill": "deny" // match: anything
}`

describe('the examples of a rules file', () => {
  test('APPR-21 GATE-04 examples above and beside a rule, and for a whole tool, hold for every kind of tool', () => {
    expect(failed(holding)).toEqual([])
    const rules = read(holding)
    expect(rules.kind === 'rules' && rules.examples).toHaveLength(14)
  })

  test.each([
    [
      '// match: git status\n"git push *": "allow"',
      '3: "git push *" is to match "git status", and does not',
    ],
    [
      '"git push *": "allow" // no match: git push --force',
      '3: "git push *" is not to match "git push --force", and does',
    ],
    [
      '// no match: ls && git push\n"git push *": "deny"',
      '3: "git push *" is not to match "ls && git push", and does',
    ],
    [
      '// match: sudo git push\n"git push *": "allow"',
      '3: "git push *" is to match "sudo git push", and does not',
    ],
    ['// allow: git push\n"git push *": "ask"', '3: "git push" is to be allow, and is ask'],
    ['// deny: git push\n"git push *": "ask"', '3: "git push" is to be deny, and is ask'],
    ['// ask: git push\n"git push *": "deny"', '3: "git push" is to be ask, and is deny'],
    [
      '// allow: git push $(x)\n"git push *": "allow"',
      '3: "git push $(x)" is to be allow, and is ask',
    ],
    ['// match:\n"ls": "allow"', '3: nothing stands after "match:"'],
    [
      '"ls": "allow"\n// match: ls',
      '4: the example "match:" stands at no rule: put it above or beside one',
    ],
    [
      `// match: ${'x'.repeat(1001)}\n"ls": "allow"`,
      '3: an example may have at most 1000 characters',
    ],
  ])('APPR-21 an example that does not hold is told with its line: %s', (lines, told) => {
    expect(failed(`{\n"bash": {\n${lines}\n}}`)).toEqual([told])
  })

  test('APPR-21 an example that belongs to nothing, or to a tool that is not there, does not hold', () => {
    expect(failed('{ "bash": "ask" }\n// match: ls')).toEqual([
      '2: the example "match:" stands at no rule and no tool',
    ])
    expect(failed('{ // match: ls\n "bash": { "ls": "ask" } }')).toEqual([
      '1: the example "match:" stands at no rule: put it above or beside one',
    ])
    expect(failed('{ "nothing": "ask" // ask: x\n }')).toEqual([
      '1: "x": nothing can be tried with "nothing"',
    ])
  })

  test('APPR-21 a verdict is that of the whole file: a later rule counts', () => {
    const text =
      '{\n// allow: git push --force\n"bash": { "git *": "allow", "* --force": "deny" } }'
    expect(failed(text)).toEqual(['2: "git push --force" is to be allow, and is deny'])
  })

  test('APPR-21 words that only begin like an example are none', () => {
    const text = `{
      // Deny: what nobody may do. matching: no. match this
      // allow what follows
      /* match: nothing */
      "bash": { "// match: x": "ask", "ls": "allow" }
    }`
    const rules = read(text)
    expect(rules.kind === 'rules' && rules.examples).toBeUndefined()
    expect(failed(text)).toEqual([])
  })

  test('APPR-21 GATE-09 while an example does not hold nothing is allowed, and what was denied stays denied', () => {
    const rules = (example: string) =>
      `{ "read": { "*": "allow", "*.env": "deny" },\n // match: ${example}\n "bash": "allow" }`
    const [good, bad] = [rules('ls'), rules('')]
    expect(action(good, 'read', { path: 'a' })).toBe('allow')
    expect(action(good, 'bash', { command: 'ls' })).toBe('allow')
    for (const [tool, args, verdict] of [
      ['read', { path: 'a' }, 'ask'],
      ['bash', { command: 'ls' }, 'ask'],
      ['read', { path: 'sub/.env' }, 'deny'],
    ] as const) {
      expect(action(bad, tool, args)).toBe(verdict)
    }
  })

  test('APPR-21 GATE-10 the gate is not off while an example does not hold', () => {
    expect(allowsEverything(read('{ "*": "allow" } '))).toBe(true)
    const bad = '{ "*": "allow" // no match: ls\n }'
    expect(allowsEverything(read(bad))).toBe(false)
    expect(action(bad, 'bash', { command: 'ls' })).toBe('ask')
  })

  test('APPR-21 a card says which example does not hold', () => {
    const worker = read('{ "read": {\n// match: x\n"y": "allow" } }')
    const verdict = evaluateCall(
      { spec: specOf('read'), args: { path: 'y' } },
      factsOf({ facts: { worker } }),
    )
    expect(verdict.reasons.join()).toContain('line 2: "y" is to match "x", and does not')
  })

  test('APPR-21 more than 500 examples are not tried, and allow nothing', () => {
    const text = `{ "bash": { ${'\n// match: ls'.repeat(501)}\n"ls": "allow" } }`
    expect(failed(text)).toEqual(['0: there are more than 500 examples'])
    expect(action(text, 'bash', { command: 'ls' })).toBe('ask')
  })

  test('APPR-21 GATE-04 lines count the same with CRLF and a mark before the text', () => {
    const text = '\uFEFF{\r\n"bash": {\r\n// match: x\r\n"ls": "allow" } }'
    expect(failed(text)).toEqual(['3: "ls" is to match "x", and does not'])
  })
})
