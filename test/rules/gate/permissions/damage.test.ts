import fc from 'fast-check'
import { visit } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { addGrants } from '../../../../src/rules/gate/permissions/add-grants.ts'
import { defaultPermissions } from '../../../../src/rules/gate/permissions/default-permissions.ts'
import { readPermissions } from '../../../../src/rules/gate/permissions/read-permissions.ts'
import type { WorkerRules } from '../../../../src/rules/gate/permissions/rule.ts'
import { processorMs } from '../../../support/processor-ms.ts'
import '../../../support/run/fuzz-seed.ts'

function read(text: string): WorkerRules {
  return readPermissions(text, { home: '/workspace' })
}

function problems(text: string): readonly string[] {
  const rules = read(text)
  return rules.kind === 'rules'
    ? []
    : rules.problems.map(({ line, message }) => `${line}: ${message}`)
}

function notes(text: string): readonly string[] {
  const rules = read(text)
  if (rules.kind === 'damaged') throw new Error(JSON.stringify(rules.problems))
  return (rules.notes ?? []).map(({ line, message }) => `${line}: ${message}`)
}

/** Texts that stand where a rule's action may stand, counted by another way through the text. */
function countActions(text: string): number {
  let count = 0
  visit(text, { onLiteralValue: () => void count++ }, { allowTrailingComma: true })
  return count
}

const base = `${defaultPermissions}// granted by x\n`.replace(
  '"bash": "ask"',
  `"bash": {
    // match: git push origin main
    "git push *": "ask", // no match: git status
    // granted by test:ada
    "ls": "allow",
    "rm *": "deny",
  },`,
)

const pieces = [
  '{',
  '}',
  '"',
  ',',
  ':',
  '//',
  '/*',
  '*/',
  '\\',
  '\n',
  '\r',
  '\0',
  '\uFEFF',
  '[',
  ']',
  '"deny"',
  '"Deny"',
  '"*"',
  ': "allow"',
  '"__proto__": ',
  'null',
  '\uD800',
  '// match: x\n',
  '"bash": {',
] as const

const mutation = fc.record({
  at: fc.nat(base.length),
  drop: fc.integer({ min: 0, max: 12 }),
  put: fc.oneof(fc.constantFrom('', ...pieces), fc.string({ maxLength: 5, unit: 'grapheme' })),
})

function mutated(changes: readonly { at: number; drop: number; put: string }[]): string {
  return changes.reduce(
    (text, { at, drop, put }) => text.slice(0, at) + put + text.slice(at + drop),
    base,
  )
}

describe('damage', () => {
  test('GATE-09 whatever is done to a file, no rule of it is skipped and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (changes) => {
        const text = mutated(changes)
        const rules = read(text)
        if (rules.kind === 'damaged') expect(rules.problems.length).toBeGreaterThan(0)
        else expect(rules.rules).toHaveLength(countActions(text.replace(/^\uFEFF/, ' ')))
      }),
      { numRuns: 2_000 },
    )
  })

  test('GATE-09 APPR-07 a grant is added to a file that is understood and to no other, and takes no rule away', () => {
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 2 }), (changes) => {
        const text = mutated(changes)
        const before = read(text)
        const granted = addGrants(text, 'bash', ['git pull *'], 'by test')
        if (before.kind === 'damaged' && text !== granted) {
          // What is no action may stand in a file that is JSON all the same.
          expect(read(granted).kind).toBe('damaged')
        } else if (before.kind === 'rules') {
          const after = read(granted)
          if (after.kind === 'damaged') throw new Error(JSON.stringify(after.problems))
          const shape = (rules: typeof before.rules) =>
            rules.map(({ tool, pattern, action, grant }) => `${tool} ${pattern} ${action} ${grant}`)
          expect(shape(after.rules)).toEqual(expect.arrayContaining(shape(before.rules)))
          expect(after.rules.length).toBe(before.rules.length + (granted === text ? 0 : 1))
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['{"a": "allow"} x'],
    ['{"a": "allow"}{"*": "allow"}'],
    ['{"a" "allow"}'],
    ['{a: "allow"}'],
    ["{'a': 'allow'}"],
    ['{"a": "allow" /* }'],
    ['{"a": "allow\n"}'],
    ['{"a": {"b": "allow", "c"}}'],
    ['{"": "allow"}'],
    ['{"bash": {"": "allow"}}'],
    ['{"*": "ALLOW"}'],
    ['{"*": "allow "}'],
    ['{"*": ["deny"]}'],
    ['{"*": 1}'],
    ['['.repeat(200_000)],
    ['{"a":'.repeat(200_000)],
  ])('GATE-09 damaged: %.40s', (text) => {
    expect(problems(text).length).toBeGreaterThan(0)
  })

  test('GATE-09 text that is not UTF-8 is damage where a rule is, since its pattern matches nothing that was meant', () => {
    const latin = Buffer.from('{\n"read": {"*geheimnis-schlüssel*": "deny"} }', 'latin1')
    expect(problems(latin.toString('utf8'))).toEqual([
      '2: it holds characters that are not UTF-8: save the file as UTF-8',
    ])
    expect(problems(Buffer.from('{} // für', 'latin1').toString('utf8'))).toEqual([])
  })

  test('GATE-04 CRLF and a byte order mark are taken as editors write them', () => {
    const rules = read('\uFEFF// c\r\n{\r\n  "bash": {\r\n    "ls": "allow"\r\n  }\r\n}\r\n')
    expect(rules).toMatchObject({ kind: 'rules', rules: [{ tool: 'bash', pattern: 'ls' }] })
    expect(problems('\uFEFF{\r\n"bash":\r\n"yes"}')).toEqual([
      '3: "yes" is not an action: write "allow", "ask" or "deny"',
    ])
  })

  test('APPR-07 a grant leaves the mark and every other byte of the file where it was', () => {
    const text = '\uFEFF{\r\n  "bash": {\r\n    "ls": "ask"\r\n  }\r\n}\r\n'
    const granted = addGrants(text, 'bash', ['git *'], 'by test')
    expect(granted.startsWith('\uFEFF{\r\n  "bash": {\r\n    "ls": "ask",')).toBe(true)
    expect(granted.endsWith('}\r\n}\r\n')).toBe(true)
  })

  test('GATE-09 a file of more than a million characters is refused, and takes no grant', () => {
    const text = `{ "bash": "ask" }${' '.repeat(1_000_000)}`
    expect(problems(text)).toEqual(['0: it is too large'])
    expect(addGrants(text, 'bash', ['ls'], 'by test')).toBe(text)
    const full = `{ "bash": "ask" }${' '.repeat(999_983)}`
    expect(problems(full)).toEqual([])
    expect(addGrants(full, 'bash', ['ls'], 'by test')).toBe(full)
  })

  test('GATE-09 a million characters of mistakes are listed in part, in a moment', () => {
    const text = `{${'"a":1,\n'.repeat(140_000)}}`
    let told: readonly string[] = []
    expect(processorMs(() => (told = problems(text)))).toBeLessThan(2_000)
    expect(told).toHaveLength(101)
    expect(told.at(-1)).toMatch(/^0: and \d+ more lines are wrong$/)
  })

  test('GATE-09 more than 5,000 rules are refused', () => {
    const many = (count: number) =>
      `{"bash": {${Array.from({ length: count }, (_, index) => `"x${index}": "allow"`).join(',\n')}}}`
    expect(problems(many(5_000))).toEqual([])
    expect(problems(many(5_001))).toEqual(['1: it holds more than 5000 rules'])
  })

  test('GATE-09 names that JavaScript gives a meaning are names like others', () => {
    const rules = read(
      '{"__proto__": "deny", "constructor": {"__proto__": "allow"}, "toString": "ask"}',
    )
    expect(
      rules.kind === 'rules' && rules.rules.map(({ tool, pattern }) => [tool, pattern]),
    ).toEqual([
      ['__proto__', '*'],
      ['constructor', '__proto__'],
      ['toString', '*'],
    ])
    expect(Object.hasOwn(Object.prototype, 'deny')).toBe(false)
  })

  test('GATE-09 a tool that does not exist is told with the nearest name, and is no damage', () => {
    expect(notes('{\n"bahs": "deny",\n"raed": {"*": "allow"},\n"Bash": "deny" }')).toEqual([
      '2: there is no tool "bahs"; the nearest is bash',
      '3: there is no tool "raed"; the nearest is read',
      '4: there is no tool "Bash"; the nearest is bash',
    ])
    expect(notes(defaultPermissions)).toEqual([])
    expect(
      notes('{"shell_exec":"ask","glob":"ask","mcp_*":"ask","*":"ask","skill":"ask"}'),
    ).toEqual([])
  })

  test('GATE-09 a pattern that stands twice is told, and both rules are there; a grant repeats a rule on purpose', () => {
    const text =
      '{"bash": {\n"rm *": "deny",\n"rm *": "allow" },\n"shell_exec": { "rm *": "ask" } }'
    expect(notes(text)).toEqual([
      '3: "rm *" stands for bash in line 2 already; the last one counts',
      '4: "rm *" stands for bash in line 3 already; the last one counts',
    ])
    const rules = read(text)
    expect(rules.kind === 'rules' && rules.rules.map(({ action }) => action)).toEqual([
      'deny',
      'allow',
      'ask',
    ])
    expect(notes('{"bash": {"ls": "ask",\n// granted by x\n"ls": "allow"}}')).toEqual([])
  })
})
