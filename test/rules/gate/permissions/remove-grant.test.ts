import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addGrants } from '../../../../src/rules/gate/permissions/add-grants.ts'
import { defaultPermissions } from '../../../../src/rules/gate/permissions/default-permissions.ts'
import { parsePermissions } from '../../../../src/rules/gate/permissions/parse-permissions.ts'
import { listGrants, removeGrant } from '../../../../src/rules/gate/permissions/remove-grant.ts'
import '../../../support/run/fuzz-seed.ts'

const note = 'granted by console:ada, 2026-11-21T12:03:00.000Z'

function rulesOf(text: string): unknown[] {
  const parsed = parsePermissions(text, { home: '/home/ada' })
  if (parsed.kind === 'damaged') throw new Error(`${text}\n${JSON.stringify(parsed.problems)}`)
  return parsed.rules.map(({ tool, pattern, action, grant }) => [tool, pattern, action, grant])
}

describe('removeGrant', () => {
  test('APPR-15 it takes out the rule and its comment, and leaves everything else byte for byte', () => {
    const before =
      '// top\n{\n  "bash": {\n    "*": "ask", // all\n    // end\n    "ls *": "allow"\n  },\n  "*": "ask"\n}\n'
    const once = addGrants(before, 'bash', ['git push *'], note)
    const twice = addGrants(once, 'bash', ['rm \\*'], note)
    expect(removeGrant(once, 'bash', 'git push *')).toBe(before)
    expect(removeGrant(twice, 'bash', 'rm \\*')).toBe(once)
    expect(removeGrant(removeGrant(twice, 'bash', 'git push *'), 'bash', 'rm \\*')).toBe(before)
  })

  test.each([
    ['{"bash": {"a": "allow"}}', 'a'],
    ['{"bash": {\n// granted by x\n"a": "ask"}}', 'a'],
    ['{"bash": {\n// granted by x\n// more\n"a": "allow"}}', 'a'],
    ['{"read": {\n// granted by x\n"a": "allow"}}', 'a'],
    ['{"bash": {\n// granted by x\n"a": "allow"}}', 'b'],
    ['{"bash": {\n// granted by x\n"a": "allow"', 'a'],
    ['[]', 'a'],
    ['', 'a'],
  ])('APPR-15 GATE-09 %j is left as it is: there is no such grant in it', (text, pattern) => {
    expect(removeGrant(text, 'bash', pattern)).toBe(text)
  })

  test.each([
    [
      '{"bash": {"x": "ask",\n// granted by x\n"a": "allow", "b": "deny"}}',
      '{"bash": {"x": "ask",\n "b": "deny"}}',
    ],
    [
      '{"bash": {\n// granted\n"a": "allow", // why\n"b": "ask"}}',
      '{"bash": {\n // why\n"b": "ask"}}',
    ],
    [
      '{"bash": {"b": "ask", /* , */\n// granted\n"a": "allow" /* , */ }}',
      '{"bash": {"b": "ask" /* , */\n /* , */ }}',
    ],
    [
      '{"bash": {\n// granted\n"a": "allow" /* , */, "b": "ask"}}',
      '{"bash": {\n /* , */ "b": "ask"}}',
    ],
    ['{"bash": {"b": "ask",\n  // granted\n  "a": "allow",\n}}', '{"bash": {"b": "ask",\n}}'],
    ['{\n  "*": "ask",\n  "shell_exec": {\n// granted\n"a": "allow"\n}\n}', '{\n  "*": "ask"\n}'],
    ['{\n"bash": {\n// granted\n"a": "allow"\n},\n"*": "ask"\n}', '{\n"*": "ask"\n}'],
    ['{"bash": {\n// granted\n"a": "allow"\n// mine\n}}', '{"bash": {\n// mine\n}}'],
    [
      '{"bash": {\r\n  "*": "ask",\r\n  // granted\r\n  "a": "allow"\r\n}}',
      '{"bash": {\r\n  "*": "ask"\r\n}}',
    ],
    [
      '{"bash": {\n// granted\n"a": "allow",\n"b": "ask"},\n"shell_exec": {\n// granted\n"a": "allow"}}',
      '{"bash": {\n"b": "ask"}\n}',
    ],
  ])('APPR-15 of %j it leaves %j', (text, left) => {
    expect(removeGrant(text, 'bash', 'a')).toBe(left)
    rulesOf(left)
  })

  const tool = fc.constantFrom('bash', 'read', 'shell_exec', 'weather_x', '*')
  const action = fc.constantFrom('ask', 'allow', 'deny')
  const pattern = fc.constantFrom('*', 'ls *', 'a "b"', '\\*', '//', '}', ',', '/* x */')
  const member = (value: fc.Arbitrary<string>) =>
    fc
      .tuple(value, fc.constantFrom('', ' // granted not', ' /* , */', '\n// end'))
      .map(([text, behind]) => ({ text, behind }))
  const object = (members: fc.Arbitrary<{ text: string; behind: string }[]>) =>
    fc
      .tuple(members, fc.constantFrom('', ' ', '\n', '\n  // , }\n'), fc.boolean())
      .map(([all, gap, trails]) => {
        const lines = all.map(
          ({ text, behind }, index) =>
            `${gap}${text}${index < all.length - 1 || trails ? ',' : ''}${behind}\n`,
        )
        return `{${lines.join('')}${gap}}`
      })
  const rules = object(
    fc.array(
      member(fc.tuple(pattern, action).map(([name, what]) => `${JSON.stringify(name)}: "${what}"`)),
      { maxLength: 4 },
    ),
  )
  const file = object(
    fc.array(
      member(
        fc
          .tuple(
            tool,
            fc.oneof(
              action.map((what) => `"${what}"`),
              rules,
            ),
          )
          .map(([name, value]) => `"${name}": ${value}`),
      ),
      { maxLength: 4 },
    ),
  )
  const patterns = fc.uniqueArray(fc.oneof(pattern, fc.string({ minLength: 1, maxLength: 20 })), {
    minLength: 1,
    maxLength: 3,
  })

  test.each([
    '{\n"*": {}, // granted not\n"bash": "allow"\n}',
    '{\n"*": {} , // granted not\n"bash": "allow"\n}',
    '{\n"*": {\n} ,// granted\n"bash": "allow"\n}',
  ])(
    'APPR-15 GATE-02 a comment that is left alone on its line makes nobody’s rule one of Always: %j',
    (text) => {
      const left = removeGrant(addGrants(text, '*', ['a'], note), '*', 'a')
      expect(rulesOf(left)).toEqual(rulesOf(text))
      expect(left).toContain('// granted')
    },
  )

  test('APPR-15 APPR-07 what was added and taken out again leaves the rules that were there, and every comment', () => {
    fc.assert(
      fc.property(
        fc.oneof(file, fc.constant(defaultPermissions)),
        tool,
        patterns,
        (text, of, all) => {
          fc.pre(all.every((one) => !/^(?:~|\$HOME)(?:\/|$)/.test(one)))
          const added = addGrants(text, of, all, note)
          const left = all.reduce((now, one) => removeGrant(now, of, one), added)
          expect(listGrants(left)).toEqual([])
          expect(rulesOf(left)).toEqual(rulesOf(text))
          for (const comment of text.match(/\/\/ \w.*$/gm) ?? []) expect(left).toContain(comment)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('APPR-15 one of several is taken out and the others stay as they are', () => {
    fc.assert(
      fc.property(file, tool, patterns, fc.nat(), (text, of, all, which) => {
        fc.pre(all.every((one) => !/^(?:~|\$HOME)(?:\/|$)/.test(one)))
        const added = addGrants(text, of, all, note)
        const gone = all[which % all.length] ?? ''
        const left = removeGrant(added, of, gone)
        expect(listGrants(left).map((grant) => grant.pattern)).toEqual(
          listGrants(added)
            .map((grant) => grant.pattern)
            .filter((one) => one !== gone),
        )
      }),
      { numRuns: 300 },
    )
  })
})

test('APPR-15 the list names tool, pattern, and what the comment says', () => {
  const text = addGrants(defaultPermissions, 'shell_exec', ['git "x" *', 'ls'], note)
  expect(listGrants(text)).toEqual([
    { tool: 'bash', pattern: 'git "x" *', note: 'by console:ada, 2026-11-21T12:03:00.000Z' },
    { tool: 'bash', pattern: 'ls', note: 'by console:ada, 2026-11-21T12:03:00.000Z' },
  ])
})
