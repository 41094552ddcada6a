import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addGrants } from '../../../../src/rules/gate/permissions/add-grants.ts'
import { allowsEverything } from '../../../../src/rules/gate/permissions/allows-everything.ts'
import { defaultPermissions } from '../../../../src/rules/gate/permissions/default-permissions.ts'
import { parsePermissions } from '../../../../src/rules/gate/permissions/parse-permissions.ts'
import type { WorkerRules } from '../../../../src/rules/gate/permissions/rule.ts'
import { judgeBash, judgeWith } from '../support/judge-with.ts'

function parse(text: string): WorkerRules {
  return parsePermissions(text, { home: '/home/ada' })
}

function shown(text: string): string[] {
  const rules = parse(text)
  if (rules.kind === 'damaged') throw new Error(JSON.stringify(rules.problems))
  return rules.rules.map(
    (rule) => `${rule.tool} ${rule.pattern} ${rule.action}${rule.grant ? ' granted' : ''}`,
  )
}

describe('parsePermissions', () => {
  test('GATE-04 an action or patterns a tool, comments and trailing commas, in the order of the file', () => {
    const text =
      '// c\n{ "*": "ask", /* d */ "bash": { "ls *": "allow", "10": "deny", "2": "ask", }, }'
    expect(shown(text)).toEqual(['* * ask', 'bash ls * allow', 'bash 10 deny', 'bash 2 ask'])
  })

  test('GATE-04 other names of our tools are taken for ours', () => {
    const text =
      '{"shell_exec":"ask","read_file":"ask","write_file":"ask","edit_file":"ask","glob":"ask"}'
    expect(shown(text).map((line) => line.split(' ')[0])).toEqual([
      'bash',
      'read',
      'write',
      'edit',
      'find_path',
    ])
  })

  test('GATE-04 ~/ and $HOME/ stand for the home that tools see', () => {
    expect(shown('{"read":{"~/a":"allow","$HOME/b/*":"deny","x~/c":"ask"}}')).toEqual([
      'read /home/ada/a allow',
      'read /home/ada/b/* deny',
      'read x~/c ask',
    ])
  })

  test.each([
    ['', 1, 'empty'],
    ['{\n"bash": "Deny"\n}', 2, '"Deny" is not an action'],
    ['{\n\n"bash": {\n"ls": "yes"}}', 4, '"yes" is not an action'],
    ['{"bash": true}', 1, 'not an action'],
    ['{"bash": ["allow"]}', 1, 'not an action'],
    ['{"bash": null}', 1, 'not an action'],
    ['{"bash": {"ls": {"x": "allow"}}}', 1, 'not an action'],
    ['["allow"]', 1, 'must be an object'],
    ['"allow"', 1, 'must be an object'],
    ['{\n"bash": "ask"\n', 3, 'not valid JSON'],
    ['{\n"bash": "ask" "read": "ask"}', 2, 'not valid JSON'],
    ['{"": "ask"}', 1, 'needs a name'],
    ['{"bash": {"": "allow"}}', 1, 'may not be empty'],
    ['{\n"read": {\n"!x": "allow"}}', 3, 'begin with "!"'],
    ['{"read": {"*a*b*c*": "deny"}}', 1, 'stars'],
  ])('GATE-09 %j is damaged, and the operator is told line %i', (text, line, message) => {
    const rules = parse(text)
    if (rules.kind !== 'damaged') throw new Error('it was taken')
    expect(rules.problems[0]?.line).toBe(line)
    expect(rules.problems.map((problem) => problem.message).join()).toContain(message)
  })

  test('GATE-09 with a damaged file every call asks, grants and all, and vetoes still deny', () => {
    const permissions = '{"bash": "allow", "read": "Deny"}'
    const session = [{ tool: 'bash', pattern: 'ls' }]
    const verdict = judgeBash('ls', { permissions, session })
    expect(verdict.action).toBe('ask')
    expect(verdict.reasons.join()).toContain('line 1: "Deny" is not an action')
    expect(judgeWith('read', { path: 'x' }, { permissions }).action).toBe('ask')
    const operator = { bash: [{ pattern: 'ls', action: 'deny' as const }] }
    expect(judgeBash('ls', { permissions, operator }).action).toBe('deny')
  })

  test('GATE-09 any text is parsed or damaged, never thrown on', () => {
    const text = fc.string({ unit: fc.constantFrom(...'{}[]":,\\/*\n atlowsk'), maxLength: 60 })
    fc.assert(fc.property(text, (input) => ['rules', 'damaged'].includes(parse(input).kind)))
  })
})

describe('defaultPermissions', () => {
  test('GATE-05 they parse and hold comments that explain them', () => {
    expect(parse(defaultPermissions).kind).toBe('rules')
    expect(defaultPermissions).toMatch(/\/\/ .*LAST rule that matches wins/)
  })

  test.each([
    ['read', { path: 'src/a.ts' }, 'allow'],
    ['read', { path: '.env' }, 'deny'],
    ['read', { path: 'config/.env.local' }, 'deny'],
    ['read', { path: '.env.example' }, 'allow'],
    ['read', { path: 'sub/.env.example' }, 'allow'],
    ['read', { path: 'aws-credentials.json' }, 'deny'],
    ['read', { path: 'my_secret.txt' }, 'deny'],
    ['read', { path: 'tls/server.pem' }, 'deny'],
    ['read', { path: 'server.key' }, 'deny'],
    ['read', { path: '.ssh/id_rsa' }, 'deny'],
    ['read', { path: '.ssh/id_ed25519.pub' }, 'deny'],
    ['read', { path: 'a.p12' }, 'deny'],
    ['read', { path: 'a.kdbx' }, 'deny'],
    ['write', { path: 'a.ts' }, 'allow'],
    ['write', { path: '.env' }, 'deny'],
    ['edit', { path: 'x/.env.prod' }, 'deny'],
    ['edit', { path: 'a.ts' }, 'allow'],
    ['find_path', { path: '.', pattern: '**/*.ts' }, 'allow'],
    ['grep', { pattern: 'x' }, 'allow'],
    ['list_directory', { path: '.' }, 'allow'],
    ['create_directory', { path: 'x' }, 'ask'],
    ['delete_path', { path: 'x' }, 'ask'],
    ['move_path', { source: 'a', destination: 'b' }, 'ask'],
    ['copy_path', { source: 'a', destination: 'b' }, 'ask'],
    ['read_overflow', { id: 'x' }, 'allow'],
    ['tool_search', { query: 'x' }, 'allow'],
    ['memory_search', { query: 'x' }, 'allow'],
    ['skill', { name: 'x' }, 'ask'],
    ['bash', { command: 'ls' }, 'ask'],
    ['fetch', { url: 'https://example.com' }, 'ask'],
    ['filesystem_read_file', { path: 'x' }, 'ask'],
  ] as const)('GATE-05 %s %j is %s', (tool, args, action) => {
    expect(judgeWith(tool, args, { permissions: defaultPermissions }).action).toBe(action)
  })
})

describe('allowsEverything', () => {
  test.each([
    ['{"*": "allow"}', true],
    ['// off\n{"*": {"*": "allow"}}', true],
    ['{"*": "ask"}', false],
    ['{"bash": "allow"}', false],
    ['{"*": "allow", "bash": "ask"}', false],
    ['{"*": {"ls": "allow"}}', false],
    ['{', false],
  ])('GATE-10 %j is %s', (text, expected) => {
    expect(allowsEverything(parse(text))).toBe(expected)
  })
})

describe('addGrants', () => {
  const note = 'by Ada, 2026-11-21'

  test('GATE-02 APPR-07 it goes last among the tool’s rules under a comment, everything else stays', () => {
    const text =
      '// top\n{\n  "bash": {\n    "*": "ask" // all\n    // end\n  },\n  "*": "ask"\n}\n'
    expect(addGrants(text, 'bash', ['git push *'], note)).toBe(
      '// top\n{\n  "bash": {\n    "*": "ask", // all\n    // end\n    // granted by Ada, 2026-11-21\n' +
        '    "git push *": "allow"\n  },\n  "*": "ask"\n}\n',
    )
  })

  test.each([
    '{}',
    '{"bash":"ask"}',
    '{"bash":{}}',
    '{"bash":{"*":"ask"}}',
    '{"bash":{"*":"ask",}}',
    '{"bash":{"*":"ask", // x\n}}',
    '{"shell_exec":{"*":"ask"}, "*": "ask"}',
    '{"bash":"allow","*":"deny","bash":"ask",}',
    '{\n  // nothing\n}',
    '{"read": "allow" /* } */ }',
    defaultPermissions,
  ])('GATE-04 APPR-07 %j keeps its rules and holds the grant', (text) => {
    const edited = addGrants(text, 'bash', ['ls "a" *', 'x\\*'], 'by\n"Ada" */ }')
    const before = shown(text)
    const after = shown(edited)
    expect(after.filter((line) => !line.endsWith('granted'))).toEqual(before)
    expect(after.filter((line) => line.endsWith('granted'))).toEqual([
      'bash ls "a" * allow granted',
      'bash x\\* allow granted',
    ])
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(edited).toContain(comment)
  })

  test('APPR-07 a pattern that was granted already changes nothing', () => {
    const once = addGrants(defaultPermissions, 'bash', ['ls *'], note)
    expect(addGrants(once, 'bash', ['ls *'], 'by Bob')).toBe(once)
    expect(addGrants(once, 'shell_exec', ['ls *'], 'by Bob')).toBe(once)
  })

  test('APPR-07 a note that says granted is not doubled', () => {
    expect(addGrants('{}', 'bash', ['ls'], 'granted by Ada')).toContain('// granted by Ada\n')
  })

  test('GATE-09 a damaged text is left alone', () => {
    expect(addGrants('{"bash": ', 'bash', ['ls'], note)).toBe('{"bash": ')
    expect(addGrants('[]', 'bash', ['ls'], note)).toBe('[]')
  })

  test('APPR-07 a later catch-all does not defeat a grant, and a deny of the file does', () => {
    const permissions = addGrants(
      '{"bash":{"*":"ask","git push --force *":"deny"}}',
      'bash',
      ['git push *'],
      note,
    )
    expect(judgeBash('git push origin', { permissions }).action).toBe('allow')
    expect(judgeBash('git push --force origin', { permissions }).action).toBe('deny')
    const later = addGrants('{"bash":"ask","*":"ask"}', 'bash', ['git push *'], note)
    expect(judgeBash('git push origin', { permissions: later }).action).toBe('allow')
  })

  test('GATE-02 only a comment on its own line right above makes a grant', () => {
    const text =
      '{"bash": {"a": "allow", // granted by x\n"b": "allow",\n// granted\n// more\n"c": "allow"}}'
    expect(shown(text).filter((line) => line.endsWith('granted'))).toEqual([])
  })

  test('APPR-07 any pattern survives the way into the file and back', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (pattern) => {
        fc.pre(!/^(?:~|\$HOME)(?:\/|$)/.test(pattern))
        const rules = parse(addGrants('{"bash":"ask"}', 'bash', [pattern], note))
        if (rules.kind !== 'rules') throw new Error(JSON.stringify(rules.problems))
        expect(rules.rules.at(-1)).toMatchObject({ tool: 'bash', pattern, grant: true })
      }),
    )
  })
})
