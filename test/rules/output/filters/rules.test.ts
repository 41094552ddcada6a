import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyFilters, commandNames } from '../../../../src/rules/output/filters/apply-filters.ts'
import {
  builtInRules,
  compileFilters,
} from '../../../../src/rules/output/filters/compile-filters.ts'
import { partialRule } from '../../../../src/rules/output/filters/filter-rule.ts'
import { maxPatternCharacters } from '../../../../src/rules/output/filters/line-pattern.ts'
import { toLinearRegex } from '../../../../src/util/text/linear-regex.ts'
import { processorMs } from '../../../support/processor-ms.ts'

const rulesFor = (command: string, file?: unknown) =>
  applyFilters(compileFilters(file).filters, 'x', { command, exitCode: 0 })?.rules.map(
    ({ name }) => name,
  ) ?? []

describe('the built-in rules', () => {
  test.each([
    ['cargo test', 'cargo-test'],
    ['cargo +nightly test --workspace -- --nocapture', 'cargo-test'],
    ['cargo nextest run', 'cargo-nextest'],
    ['cd /Users/me/project && cargo clippy --workspace -- -D warnings 2>&1', 'clippy'],
    ['cd /x && cargo clippy -- -D warnings 2>&1 | tail -80', 'clippy'],
    ['git status', 'git-status'],
    ['git -C /x status', 'git-status'],
    ['git --no-pager diff HEAD~1', 'git-diff'],
    ['git show HEAD', 'git-diff'],
    ['git log --oneline', 'git-log'],
    ['ls -la', 'ls'],
    ['find . -name "*.ts"', 'find'],
    ['tree src', 'tree'],
    ['journalctl -u ssh', 'log-dedup'],
    ['docker logs web', 'log-dedup'],
    ['tail -n 500 /var/log/syslog', 'log-dedup'],
    ['kubectl -n shop logs pod/web', 'log-dedup'],
    ['kubectl --namespace shop -v=6 get pods', 'kubectl'],
    ['docker compose -f a.yml up -d', 'docker-compose'],
    ['npm --silent install', 'npm-install'],
    ['git -c core.pager=cat -C /x diff', 'git-diff'],
    ['docker build -t x .', 'docker-build'],
    ['docker buildx build .', 'docker-build'],
    ['npm install', 'npm-install'],
    ['npm ci', 'npm-install'],
    ['yarn add x', 'npm-install'],
    ['pnpm install --frozen-lockfile', 'npm-install'],
    ['pip install -r requirements.txt', 'pip-install'],
    ['python3 -m pip install x', 'pip-install'],
    ['make -j8', 'make'],
    ['pytest -q', 'pytest'],
    ['python -m pytest', 'pytest'],
    ['uv run pytest', 'pytest'],
    ['go test ./...', 'go-test'],
    ['terraform plan', 'terraform'],
    ['kubectl get pods -A', 'kubectl'],
    ['brew install jq', 'brew'],
    ['npx vitest run', 'vitest'],
    ['jest --ci', 'vitest'],
    ['npx tsc --noEmit', 'tsc'],
    ['./node_modules/.bin/tsc -p .', 'tsc'],
    ['eslint src', 'eslint'],
  ])('OUT-02 %j is matched by %j only', (command, name) => {
    expect(rulesFor(command)).toEqual([name])
  })

  test.each([
    'echo hi',
    'cat README.md',
    'git stash',
    'npm run build',
    'npm test',
    'maker',
    'lsof',
    'cargo fmt',
    'go build ./...',
    'docker ps',
    'treefmt',
    'findmnt',
  ])('OUT-02 %j is matched by no rule', (command) => {
    expect(rulesFor(command)).toEqual([])
  })

  test('OUT-02 there are at least nineteen, each valid as a rule of a file', () => {
    expect(builtInRules.length).toBeGreaterThanOrEqual(22)
    expect(new Set(builtInRules.map(({ name }) => name)).size).toBe(builtInRules.length)
    for (const rule of builtInRules) expect(partialRule.safeParse(rule).error).toBeUndefined()
  })

  const patterns = builtInRules.flatMap(({ name, match, strategy }) => [
    ...(match.regex === undefined ? [] : [[name, match.regex] as const]),
    ...('patterns' in strategy ? strategy.patterns.map((each) => [name, each] as const) : []),
    ...('steps' in strategy ? (strategy.steps ?? []).map((each) => [name, each] as const) : []),
    ...('keep' in strategy ? (strategy.keep ?? []).map((each) => [name, each] as const) : []),
  ])

  test.each(patterns)('OUT-07 %s: %s belongs to the linear dialect', (_name, pattern) => {
    expect(pattern.length).toBeLessThanOrEqual(maxPatternCharacters)
    expect(toLinearRegex(pattern).kind).toBe('regex')
  })

  test('OUT-07 no built-in rule is slow on any line', () => {
    const parts = [
      ' ',
      'a',
      'a ',
      '-x ',
      '- ',
      '#1 ',
      ': ',
      '::',
      'npm ',
      '=> ',
      '[1] ',
      '1',
      '=',
      '─',
    ]
    const heads = [
      '',
      'git ',
      'cargo ',
      'docker ',
      'cat ',
      'npm ',
      'test ',
      '#8 1.5 ',
      ' => ',
      'pip ',
    ]
    const { filters } = compileFilters()
    for (const part of parts) {
      for (const head of heads) {
        const line = head + part.repeat(20_000)
        const once = () => {
          for (const { matches } of filters) matches(line)
          for (const { strategy } of filters) {
            const kept = new Uint8Array(2)
            strategy({ lines: [line, ''], kept, failed: false })
          }
        }
        expect(processorMs(once), `${head}${part}`).toBeLessThan(400)
      }
    }
  }, 60_000)

  const programs = 'git npm kubectl docker cargo timeout terraform go yarn k uv env sudo FOO=1'
  test.each(programs.split(' '))('OUT-07 no command line of %s is slow', (program) => {
    const { filters } = compileFilters()
    const options = [
      'no rule is slow on a command line of %s',
      '-C ',
      '-k ',
      '-k5 ',
      '--x ',
      '-- ',
      '-n a ',
      '--n=a ',
      '-x a b ',
      'a="b" ',
    ]
    for (const option of options) {
      for (const times of [40, 20_000]) {
        const line = `${program} ${option.repeat(times)}!`
        const once = () => {
          for (const name of commandNames(line)) for (const { matches } of filters) matches(name)
        }
        expect(processorMs(once), line.slice(0, 40)).toBeLessThan(400)
      }
    }
  })
})

describe("an operator's rule file", () => {
  const make = { name: 'make', match: { prefix: 'make' } }

  test('OUT-02 overrides built-in rules by name', () => {
    const strategy = { type: 'truncate', max_lines: 80, head: 15, tail: 15 }
    const { filters, warnings } = compileFilters({ rules: [{ ...make, strategy }] })
    expect(warnings).toEqual([])
    expect(filters).toHaveLength(builtInRules.length)
    const text = Array.from({ length: 100 }, (_, at) => `gcc -c f${at}.c`).join('\n')
    const filtered = applyFilters(filters, text, { command: 'make all', exitCode: 0 })
    expect(filtered).toMatchObject({ linesAfter: 31, confidence: 'partial' })
  })

  test('OUT-02 enabled = false disables the built-in rule of that name only', () => {
    const off = { rules: [{ name: 'make', enabled: false }] }
    expect(rulesFor('make', off)).toEqual([])
    expect(rulesFor('pytest', off)).toEqual(['pytest'])
  })

  test('OUT-02 inherits missing parts from the built-in rule', () => {
    const file = { rules: [{ name: 'make', match: { exact: 'build it' } }] }
    expect(rulesFor('make', file)).toEqual([])
    expect(rulesFor('build it', file)).toEqual(['make'])
  })

  test('OUT-02 exact, prefix and regex match as documented', () => {
    const strategy = { type: 'dedup' }
    const file = {
      rules: [
        { name: 'e', match: { exact: 'run it' }, strategy },
        { name: 'p', match: { prefix: 'run' }, strategy },
        { name: 'r', match: { regex: 'it$' }, strategy },
      ],
    }
    expect(rulesFor('run it', file)).toEqual(['e', 'p', 'r'])
    expect(rulesFor('run it now', file)).toEqual(['p'])
    expect(rulesFor('do it', file)).toEqual(['r'])
  })

  const strategy = { type: 'strip_noise', patterns: ['x'] }
  test.each([
    ['no match', { name: 'new', strategy }, 'needs match and strategy'],
    ['two matches', { ...make, match: { exact: 'a', prefix: 'b' }, strategy }, 'exactly one'],
    ['an empty match', { ...make, match: {}, strategy }, 'exactly one'],
    ['an unknown key', { ...make, strategy, colour: 1 }, 'colour'],
    ['an unknown strategy', { ...make, strategy: { type: 'magic' } }, 'strategy'],
    ['no name', { match: make.match, strategy }, 'rule 1'],
    [
      'a pattern over 512 characters',
      { ...make, strategy: { type: 'strip_noise', patterns: ['a'.repeat(513)] } },
      'at most 512 characters',
    ],
    ['a match over 512 characters', { ...make, match: { regex: 'a'.repeat(513) } }, 'at most 512'],
    [
      'a broken pattern',
      { ...make, strategy: { type: 'keep_matching', patterns: ['('] } },
      'not valid',
    ],
    ['a pattern with lookaround', { ...make, match: { regex: '(?=a)b' } }, 'lookaround'],
    ['a pattern with a backreference', { ...make, match: { regex: '(a)\\1' } }, 'backreference'],
    [
      'a pattern that would grow',
      { ...make, match: { regex: '((a{100}){100}){100}' } },
      'rule "make"',
    ],
  ])(
    'OUT-07 a rule with %s is skipped with a warning, and the others are used',
    (_w, rule, why) => {
      const good = { name: 'good', match: { exact: 'good' }, strategy }
      const { filters, warnings } = compileFilters({ rules: [rule, good] })
      expect(warnings).toEqual([expect.stringContaining(why)])
      expect(filters.map(({ name }) => name)).toContain('good')
      expect(filters.map(({ name }) => name)).toContain('make')
    },
  )

  test.each([[42], [{ rules: 5 }], [null], [[]], [{ rulez: [] }]])(
    'OUT-07 %j is not a list of rules: built-in rules stay in force',
    (file) => {
      const { filters, warnings } = compileFilters(file)
      expect(warnings.length).toBeGreaterThan(0)
      expect(filters).toHaveLength(builtInRules.length)
    },
  )

  const word = fc.constantFrom('a', '(', '^a+$', '[', '\\', 'make', 'strip_noise', 'dedup', '')
  const field = fc.oneof(word, fc.array(word, { maxLength: 3 }), fc.integer(), fc.boolean())
  const table = fc.dictionary(
    fc.constantFrom('type', 'patterns', 'prefixes', 'head', 'exact', 'prefix', 'regex', 'keep'),
    field,
  )
  const anyRule = fc.record(
    { name: fc.oneof(word, fc.anything()), match: table, strategy: table, enabled: field },
    { requiredKeys: [] },
  )

  test('OUT-07 REL-02 of any file the valid rules are used, and the others are reported', () => {
    const file = fc.oneof(
      fc.anything(),
      fc.record({ rules: fc.oneof(fc.anything(), fc.array(fc.oneof(anyRule, fc.anything()))) }),
    )
    fc.assert(
      fc.property(file, fc.string(), (tree, text) => {
        const { filters, warnings } = compileFilters(tree)
        for (const warning of warnings) expect(warning).not.toBe('')
        applyFilters(filters, text, { command: 'make', exitCode: 1 })
      }),
    )
  })

  test('OUT-07 a pattern that is exponential in other engines runs in linear time', () => {
    const patterns = ['^(a+)+$', '(a|aa)*b']
    const file = { rules: [{ ...make, strategy: { type: 'strip_noise', patterns } }] }
    const { filters } = compileFilters(file)
    const text = `${'a'.repeat(5_000)}!`
    const run = () => applyFilters(filters, text, { command: 'make', exitCode: 0 })
    expect(processorMs(run)).toBeLessThan(1_000)
  })
})
