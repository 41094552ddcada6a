import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { judgeBash } from '../../support/judge-with.ts'

/** A command for which *Always* was tapped, and a worse one with the same beginning. */
const pairs = readFileSync(join(import.meta.dirname, '../corpus/worst-of-always.txt'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('|'))

function patternsFor(command: string): readonly string[] {
  const { alwaysPatterns } = judgeBash(command)
  return alwaysPatterns.flatMap((pattern) =>
    pattern.endsWith(' *') ? [pattern] : [pattern, `${pattern} *`],
  )
}

function isCovered(command: string, patterns: readonly string[]): boolean {
  const session = patterns.map((pattern) => ({ tool: 'bash', pattern }))
  return judgeBash(command, { session }).action === 'allow'
}

describe('what a pattern of Always lets through', () => {
  test('SHELL-10 APPR-07 of more than 60 programs it is no call that writes a file by name, or loads or runs something else', () => {
    expect(new Set(pairs.map(([seed = '']) => seed.split(' ')[0])).size).toBeGreaterThan(60)
    const covered = pairs.filter(([seed = '', worst = '']) => isCovered(worst, patternsFor(seed)))
    expect(covered).toEqual([])
  })

  test.each([
    ['kubectl get pods', 'kubectl get deploy -n prod --sort-by=.metadata.name'],
    ['eslint src', 'eslint test --ext .ts --max-warnings=0'],
    ['eslint src', 'eslint test --report-unused-disable-directives'],
    ['prettier --check src', 'prettier --check test --ignore-path=.prettierignore'],
    ['pytest tests', 'pytest tests/x -x --maxfail=2 --tb=short -k login'],
    ['jest src', 'jest test --silent --testNamePattern=x'],
    ['grep -rn x src', 'grep -rn y lib --exclude-dir=dist'],
    ['docker logs a', 'docker logs b --tail=20 --since=1h'],
    ['go test ./...', 'go test ./x -run TestY -count=1 -v'],
    ['mypy src', 'mypy lib --strict --show-error-codes'],
    ['gh pr view 1', 'gh pr view 2 --json title --comments'],
  ])('SHELL-12 SHELL-08 *Always* on %j covers %j', (seed, later) => {
    expect(isCovered(later, judgeBash(seed).alwaysPatterns)).toBe(true)
  })
})
