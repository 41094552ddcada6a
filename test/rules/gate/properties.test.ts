import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action } from '../../../src/domain/verdict.ts'
import { evaluateCall } from '../../../src/rules/gate/gate.ts'
import { processorMs } from '../../support/processor-ms.ts'
import { anyCharacter } from '../../support/run/any-character.ts'
import { attacks } from './shell/attacks.ts'
import { harmless } from './shell/harmless.ts'
import { factsOf, judgeBash, judgeWith, specOf, type Tables } from './support/judge-with.ts'

const strictness: Record<Action, number> = { allow: 0, ask: 1, deny: 2 }

const action = fc.constantFrom<Action>('allow', 'ask', 'deny')
const command = fc.constantFrom(
  'ls',
  'ls -l',
  'git push',
  'git push -f',
  'git log',
  'rm x',
  'ls; git push',
  'sudo rm x',
)
const path = fc.constantFrom(
  'a',
  '.env',
  'src/a',
  'src/.env',
  './src/../a',
  'A',
  '../a',
  '/workspace/src',
)
const commandPattern = fc.constantFrom(
  '*',
  'ls',
  'ls *',
  'git *',
  'git push *',
  '*push*',
  'rm *',
  'sudo *',
  'sudo rm x',
)
const pathPattern = fc.constantFrom('*', '*.env', 'src/*', 'src', 'a', '**/a', '/workspace/*', '?')

interface Case {
  readonly tool: string
  readonly args: Record<string, unknown>
  readonly pattern: fc.Arbitrary<string>
}

const someCall: fc.Arbitrary<Case> = fc.oneof(
  command.map((text) => ({ tool: 'bash', args: { command: text }, pattern: commandPattern })),
  path.map((text) => ({ tool: 'read', args: { path: text }, pattern: pathPattern })),
)

interface Layers {
  readonly tool: string
  readonly args: Record<string, unknown>
  readonly agent: Tables
  readonly operator: Tables
  readonly permissions: Record<string, Record<string, Action>>
  readonly session: { tool: string; pattern: string }[]
  readonly added: string
}

const layers: fc.Arbitrary<Layers> = someCall.chain(({ tool, args, pattern }) => {
  const rules = fc.array(fc.record({ pattern, action }), { maxLength: 3 })
  return fc.record({
    tool: fc.constant(tool),
    args: fc.constant(args),
    agent: rules.map((list) => ({ [tool]: list })),
    operator: rules.map((list) => ({ [tool]: list })),
    permissions: fc
      .tuple(
        fc.dictionary(pattern, action, { maxKeys: 4 }),
        fc.dictionary(pattern, action, { maxKeys: 2 }),
      )
      .map(([own, all]) => ({ [tool]: own, '*': all })),
    session: fc.array(
      pattern.map((text) => ({ tool, pattern: text })),
      { maxLength: 2 },
    ),
    added: pattern,
  })
})

describe('the gate, whatever the rules', () => {
  test('GATE-02 a deny of a veto layer, evaluated alone, is final', () => {
    fc.assert(
      fc.property(layers, fc.constantFrom('agent', 'operator'), (setting, layer) => {
        const alone = judgeWith(setting.tool, setting.args, {
          permissions: {},
          [layer]: setting[layer],
        })
        const whole = judgeWith(setting.tool, setting.args, setting)
        if (alone.action === 'deny') expect(whole.action).toBe('deny')
        const off = judgeWith(setting.tool, setting.args, {
          ...setting,
          permissions: { '*': 'allow' },
        })
        if (alone.action === 'deny') expect(off.action).toBe('deny')
      }),
      { numRuns: 600 },
    )
  })

  test('GATE-02 THREAT-4 no grants make a call allowed that the rules without them deny', () => {
    fc.assert(
      fc.property(layers, (setting) => {
        const without = judgeWith(setting.tool, setting.args, { ...setting, session: [] })
        if (without.action === 'deny') {
          expect(judgeWith(setting.tool, setting.args, setting).action).toBe('deny')
        }
      }),
      { numRuns: 600 },
    )
  })

  test('GATE-02 adding a deny anywhere never makes a call allowed that was not', () => {
    fc.assert(
      fc.property(
        layers,
        fc.constantFrom('agent', 'operator', 'worker'),
        fc.nat(4),
        (setting, layer, at) => {
          const before = judgeWith(setting.tool, setting.args, setting)
          fc.pre(before.action !== 'allow')
          const after = judgeWith(setting.tool, setting.args, withDeny(setting, layer, at))
          expect(after.action).not.toBe('allow')
        },
      ),
      { numRuns: 1500 },
    )
  })

  test('GATE-07 a denied path is denied in every form', () => {
    const forms = [
      '.env',
      './.env',
      'x/../.env',
      '.ENV',
      '/workspace/.env',
      '~/.env',
      './/.env',
      '.env/',
    ]
    fc.assert(
      fc.property(layers, fc.constantFrom(...forms), (setting, form) => {
        const permissions = { read: { '*': 'allow', '*.env': 'deny' } }
        const given = { ...setting, permissions }
        expect(judgeWith('read', { path: form }, given).action).toBe('deny')
      }),
    )
  })

  test('SHELL-02 a compound is never weaker than its parts', () => {
    const part = fc.constantFrom(
      ...harmless,
      ...attacks
        .map(([text]) => text)
        .filter((text) => /\w/.test(text) && !/[\n#<'"`]/.test(text))
        // A variable of its own asks alone, as nothing is run.
        .filter((text) => !/^\w+=\S*$/.test(text)),
    )
    const joint = fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & ')
    const permissions = {
      bash: { '*': 'ask', 'git *': 'allow', 'ls *': 'allow', 'rm *': 'deny', 'npm *': 'allow' },
    }
    fc.assert(
      fc.property(part, part, joint, (one, other, sign) => {
        const both = strictness[judgeBash(`${one}${sign}${other}`, { permissions }).action]
        expect(both).toBeGreaterThanOrEqual(strictness[judgeBash(one, { permissions }).action])
        expect(both).toBeGreaterThanOrEqual(strictness[judgeBash(other, { permissions }).action])
      }),
      { numRuns: 1500 },
    )
  })
})

function withDeny(setting: Layers, layer: string, at: number): Layers {
  const rule = { pattern: setting.added, action: 'deny' as const }
  if (layer === 'agent')
    return { ...setting, agent: inserted(setting.agent, setting.tool, rule, at) }
  if (layer === 'operator')
    return { ...setting, operator: inserted(setting.operator, setting.tool, rule, at) }
  const own = Object.entries(setting.permissions[setting.tool] ?? {}).filter(
    ([key]) => key !== setting.added,
  )
  if (own.length !== Object.keys(setting.permissions[setting.tool] ?? {}).length) return setting
  own.splice(at, 0, [setting.added, 'deny'])
  return {
    ...setting,
    permissions: { ...setting.permissions, [setting.tool]: Object.fromEntries(own) },
  }
}

function inserted(
  tables: Tables,
  tool: string,
  rule: { pattern: string; action: 'deny' },
  at: number,
): Tables {
  return { ...tables, [tool]: (tables[tool] ?? []).toSpliced(at, 0, rule) }
}

describe('the gate, whatever it is given', () => {
  const facts = factsOf({
    permissions: {
      bash: { '*': 'allow', 'rm *': 'deny' },
      read: { '*': 'allow', '*.env': 'deny' },
    },
  })
  const judged = (tool: string, args: Record<string, unknown>): void => {
    const took = processorMs(() => {
      const verdict = evaluateCall({ spec: specOf(tool), args }, facts)
      expect(verdict.trace.some(({ check }) => check === 'gate')).toBe(false)
      expect(verdict.trace.length).toBeLessThanOrEqual(100)
    })
    expect(took).toBeLessThan(1_000)
  }

  test('SHELL-03 any text as a command', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) =>
        judged('bash', { command: text }),
      ),
    )
  })

  test('SHELL-03 any mixture of shell syntax as a command', () => {
    const piece = fc.constantFrom(
      ...[
        "'",
        '"',
        '`',
        '$(',
        ')',
        '${',
        '}',
        '((',
        '))',
        '[[',
        ']]',
        '<<EOF',
        'EOF',
        '\n',
        ';',
        '&&',
        '|',
        '&',
      ],
      ...[
        '>',
        '<(',
        '{',
        'if',
        'then',
        'fi',
        'case',
        'in',
        'esac',
        'f()',
        'rm',
        'x',
        ' ',
        '\\',
        '#',
        '=',
        '*',
        "$'",
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.boolean(), (pieces, spaced) => {
        judged('bash', { command: pieces.join(spaced ? ' ' : '') })
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    '$(',
    '`',
    '(',
    'f() ',
    '"${x:-',
    '<<a ',
    '{',
    '[[ ',
    '$((',
    'if ',
    'a[$(',
    '<(',
    '${a[',
    '!',
    '! ',
    '${x//',
    'a;',
    'a|',
    'case a in ',
    '\\`',
    'echo `',
    "$'",
    'a=',
    '> ',
    'a b ',
    '*',
    '{a,',
    '~/',
    '../',
    'sudo ',
    'xargs ',
    'env -i ',
    "bash -c '",
    'find -exec ',
    '\n',
    'cd a;',
    '-',
    'é',
    '\u0000',
    'bash -c "bash -c \'',
    ':',
    '=',
    '@a',
    'a,',
  ])('SHELL-09 THREAT-2 10,000 characters of %j end at once', (piece) => {
    judged('bash', { command: piece.repeat(Math.ceil(10_000 / piece.length)) })
  })

  test.each(['a/', '../', '*', '[', '{a,', '.env', '\0', '@('])(
    'GATE-08 10,000 characters of %j as a path',
    (piece) => {
      judged('read', { path: piece.repeat(Math.ceil(10_000 / piece.length)) })
    },
  )

  test('GATE-08 any argument of any tool', () => {
    const tool = fc.constantFrom(
      'bash',
      'read',
      'move_path',
      'find_path',
      'grep',
      'fetch',
      'skill',
      'mcp_x',
    )
    const args = fc.dictionary(
      fc.constantFrom(
        'command',
        'path',
        'source',
        'destination',
        'pattern',
        'url',
        'name',
        '__proto__',
      ),
      fc.oneof(fc.string(), fc.webUrl(), fc.anything()),
    )
    fc.assert(fc.property(tool, args, (name, given) => judged(name, given)))
  })

  test('GATE-01 what makes the gate fail is denied', () => {
    const args = {
      get command(): string {
        throw new TypeError('broken')
      },
    }
    expect(evaluateCall({ spec: specOf('bash'), args }, facts)).toMatchObject({
      action: 'deny',
      reasons: ['the gate failed (TypeError); nothing runs that it cannot judge'],
    })
  })
})
