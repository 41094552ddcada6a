import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shellSection } from '../../../../src/config/schema/schema-shell.ts'
import type { Verdict } from '../../../../src/domain/verdict.ts'
import { evaluateCall } from '../../../../src/rules/gate/gate.ts'
import { operatorLayer } from '../../../../src/rules/gate/permissions/operator-layer.ts'
import { createRule } from '../../../../src/rules/gate/permissions/rule.ts'
import { factsOf, specOf } from '../support/judge-with.ts'
import { moreAttacks, moreTexts } from './more-attacks.ts'

/** Commands of one line first, then those of several, each behind a line `%%`. */
function corpus(name: string): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, 'corpus', name), 'utf8').trimEnd()
  const [lines = '', ...blocks] = text.split('\n%%\n')
  return [...lines.split('\n'), ...blocks]
}

const silent = corpus('everyday.txt')
/** What asks by the rules for files, by what it sets or wraps, or by signs that shells read in two ways. */
const asking = corpus('everyday-asks.txt')
const read = {
  ...{ '*': 'allow', '*.env': 'deny', '*.env.*': 'deny', '*credentials*': 'deny' },
  ...{ '*secret*': 'deny', '*.env.example': 'allow', '*.pem': 'deny', '*.key': 'deny' },
} as const
const permissions = {
  bash: { '*': 'allow' },
  read,
  write: { '*': 'allow', '*.env': 'deny', '*.env.*': 'deny' },
}
const facts = factsOf({ permissions })
const spec = specOf('bash')
const verdictOf = (command: string) => evaluateCall({ spec, args: { command } }, facts)

const operator = operatorLayer({ permissions: {}, shell: shellSection.parse({}) }, false)
if (operator.kind === 'damaged') throw new Error('the rules of the product cannot be read')
const factsOfProduct = { ...facts, operator: operator.layer }
const verdictsOfProduct = new Map<string, Verdict>()

/** The verdict where nothing is configured, computed once for all tests. */
function ofProduct(command: string): Verdict {
  const verdict =
    verdictsOfProduct.get(command) ?? evaluateCall({ spec, args: { command } }, factsOfProduct)
  verdictsOfProduct.set(command, verdict)
  return verdict
}

describe('what people and agents type', () => {
  test('SHELL-12 SHELL-10 none of more than 3,000 everyday commands asks where their programs are allowed', () => {
    expect(silent.length).toBeGreaterThan(3_000)
    // What is allowed beside further rules that allow nothing is allowed without them (GATE-02).
    const asked = silent.filter(
      (command) => ofProduct(command).action !== 'allow' && verdictOf(command).action !== 'allow',
    )
    expect(asked).toEqual([])
  })

  test('SHELL-12 GATE-03 where nothing is configured they ask only where a rule of the product names them', () => {
    const asked = silent.flatMap((command) => {
      const { action, reasons } = ofProduct(command)
      const isNamed = reasons.every((reason) =>
        /a rule of the operator (?:says ask|denies)$/.test(reason),
      )
      // A rule of the product asks about all substitutions, also those in the place of a variable.
      return action === 'allow' || isNamed || [command, ...reasons].join().includes('$(')
        ? []
        : [[command, ...reasons]]
    })
    expect(asked).toEqual([])
  })

  test('SHELL-12 GATE-03 names of files that a wildcard stands for are no statements of SQL, except to clients of databases', () => {
    const ask = (pattern: string, command: string) => {
      const operator = {
        rules: [createRule({ layer: 'operator', tool: 'bash', pattern, action: 'ask' })],
      }
      return evaluateCall({ spec, args: { command } }, { ...facts, operator }).action
    }
    const globs =
      'wc -l *|ls -d .*|cat src/a-*.csv|jq .name a/*/package.json|git add *|pytest t/*.py'
    for (const pattern of ['*drop table*', '*DROP DATABASE*', '*truncate *', '*delete from*'])
      for (const command of globs.split('|'))
        expect([pattern, command, ask(pattern, command)]).toEqual([pattern, command, 'allow'])
    expect(ask('*--no-preserve-root*', 'cat src/a-*.csv')).toBe('allow')
    const asks = [
      ...[
        '*truncate*: wc -l *',
        '*truncate.*: wc -l *',
        '*id_rsa *: cat *',
        '*a--b*: cat src/a-*.csv',
      ],
      ...[
        '*a--b*: cat src/*.csv',
        '*drop table*: grep "drop table" *',
        '*truncate *: wc truncate *',
      ],
      ...['*drop table*: unknown src/*', '*drop table*: rm /*'],
    ].map((text) => text.split(': '))
    for (const [pattern = '', command = ''] of asks)
      expect([pattern, command, ask(pattern, command)]).toEqual([pattern, command, 'ask'])
    const clients =
      'psql -c,sqlite3 x.db,mysql -e,mycli,redis-cli,duckdb,usql,mongosh --eval,cqlsh -e'
    const served = clients.split(',').flatMap((client) => [`${client} *.sql`, `${client} src/*`])
    expect(served.filter((command) => verdictOf(command).action === 'allow')).toEqual([])
  })

  test('SHELL-12 those that ask do so for a reason that stands on the card', () => {
    for (const command of asking) {
      const { action, reasons } = verdictOf(command)
      expect([command, action]).toEqual([command, 'ask'])
      expect(reasons.join('')).not.toBe('')
    }
  })
})

const attacks = [
  ...Object.entries(moreAttacks).map(([name, text]) => [name, text.split('\n')] as const),
  ['texts of several lines', moreTexts] as const,
  ['commands like everyday ones', corpus('attacks-on-everyday.txt')] as const,
]
const open = {
  bash: 'allow',
  read: { '*': 'allow', '*.env': 'deny', '*secret*': 'deny' },
  write: 'allow',
}

const openFacts = factsOf({ permissions: open })
const attacked = (command: string) => evaluateCall({ spec, args: { command } }, openFacts).action

describe('attacks', () => {
  test.each(attacks)('SHELL-10 SHELL-11 none of %s runs silently', (_, commands) => {
    const given = commands.filter((command) => command !== '')
    const passed = given.filter((command) => attacked(command) === 'allow')
    expect(passed).toEqual([])
  })

  const all = attacks.flatMap(([, commands]) => commands.filter((command) => command !== ''))
  const single = all.filter((command) => !/[\n<#;&|]/.test(command) && !/['"\\]$/.test(command))

  test('SHELL-10 the corpus is as large as it is said to be', () => {
    expect(all.length).toBeGreaterThanOrEqual(700)
  })

  test('SHELL-10 nor with a harmless command beside them, in a group, a condition, a pipe or behind a wrapper', () => {
    const around = fc.constantFrom(
      ...[(x: string) => `ls; ${x}`, (x: string) => `${x} && ls`, (x: string) => `ls | ${x}`],
      ...[(x: string) => `(${x})`, (x: string) => `{ ${x}; }`, (x: string) => `! ${x}`],
      ...[(x: string) => `if ls; then ${x}; fi`, (x: string) => `for i in 1 2; do ${x}; done`],
      ...[
        (x: string) => `${x} | cat`,
        (x: string) => `${x} 2>/dev/null`,
        (x: string) => `time ${x}`,
      ],
      ...[(x: string) => `cat <<'EOF'\nx\nEOF\n${x}`, (x: string) => `echo "$(${x})"`],
      ...[(x: string) => `timeout 5 ${x}`, (x: string) => `NODE_ENV=test ${x}`],
      ...[(x: string) => `${x} # done`, (x: string) => `  ${x}  `, (x: string) => `${x}\nls`],
    )
    fc.assert(
      fc.property(fc.constantFrom(...single), around, around, (command, one, other) => {
        const text = one(other(command))
        expect([text, attacked(text)]).not.toEqual([text, 'allow'])
      }),
      { numRuns: 600 },
    )
  })

  test('SHELL-10 nor with their words quoted, escaped or set apart in another way', () => {
    const spelled = (word: string, way: number): string => {
      const isPlain = /^[\w./=:@+-]+$/.test(word)
      if (!isPlain || way === 0) return word
      if (way === 1) return `'${word}'`
      if (way === 2) return `"${word}"`
      if (way === 3) return `${word.slice(0, 1)}''${word.slice(1)}`
      return way === 4 ? `\\${word}` : `"${word.slice(0, 2)}"${word.slice(2)}`
    }
    const plain = single.filter((command) => !/['"\\$`{(]/.test(command))
    const ways = fc.array(fc.nat({ max: 5 }), { minLength: 8, maxLength: 8 })
    const blank = fc.constantFrom(' ', '  ', '\t')
    fc.assert(
      fc.property(fc.constantFrom(...plain), ways, blank, (command, chosen, gap) => {
        const text = command
          .split(' ')
          .map((word, at) => spelled(word, at === 0 ? 0 : (chosen[at % 8] ?? 0)))
          .join(gap)
        expect([text, attacked(text)]).not.toEqual([text, 'allow'])
      }),
      { numRuns: 600 },
    )
  })
})
