import { describe, expect, test } from 'vitest'
import { judgeBash, type Setting, workspace } from '../../support/judge-with.ts'
import { policyOf } from '../../support/policy-of.ts'

const read = { '*': 'allow', '*.env': 'deny', '**/.env': 'deny', 'secrets/**': 'deny' }

function action(command: string, setting: Setting = {}): string {
  return judgeBash(command, { permissions: { bash: 'allow', read }, ...setting }).action
}

describe('wildcards for files that a program reads', () => {
  test.each([
    'cat src/*.ts',
    'cat ./docs/*.md',
    'cat test/*.md | head -5',
    'cat *.md',
    'head -n 3 *.md',
    'tail -n 5 logs/*.log',
    'sort data/*.txt',
    'grep -n foo src/*.ts',
    'grep foo -- *.ts',
    'rg foo src/a?.ts',
    'diff old/a.t?t new/a.txt',
    'sha256sum dist/*.js',
    "sed -n '1,5p' src/*.ts",
    "awk 'NR>1 {print $2}' data/*.csv",
    'jq .name pkg/*.json',
    'jq -r .name data/[a-c]*.json',
    'cd src && cat *.ts',
    'cat .github/*.yml',
    'ls *.ts',
    'wc -l src/*.ts',
  ])('SHELL-07 SHELL-10 %j is not asked about', (command) => {
    expect(judgeBash(command, { permissions: { bash: 'allow', read } }).reasons).toEqual([])
    expect(action(command)).toBe('allow')
  })

  test.each([
    'cat *',
    'cat src/*',
    'cat s*',
    'cat prod.*',
    'cat src/?env',
    'cat src/x.[e]nv',
    'cat src/*.e?v',
    'cat secre*',
    'cat secrets/*.md',
    'cat secrets/a?',
    'cd secrets && cat a?',
    'cd src; cat ../a?',
    'cat */a.ts',
    'cat ../*.ts',
    'cat .*',
    'cat .e*',
    'grep foo *.ts',
    'grep -e -- *.ts',
    'grep -A -- *.ts',
    'sort *.txt',
    'sort -k -- *.txt',
    'sed src/*.ts',
    "sed -n -e '1p' src/*.ts",
    'sed s,a*,b, x.ts',
    'awk src/*.ts',
    'jq src/*.ts',
    'jq --slurpfile x data/*.json .',
    'rm src/*',
    'rm s*.o',
    'node src/*.ts',
    'uniq a?',
    '/tmp/cat a?',
    './cat a?',
    'cat a?.md b?.md c?.md d?.md e?.md f?.md g?.md h?.md i?.md',
  ])('SHELL-07 %j asks: it may name what rules keep, or be more than a file', (command) => {
    expect(action(command)).toBe('ask')
  })

  test.each([
    ['a.md', 'cat a.m?', 'cat b.m?'],
    ['docs/a.md', 'cat docs/*.md', 'cat src/*.md'],
    ['docs', 'cat d*', 'cat e*'],
    ['docs/**', 'cat docs/x?', 'cat doc/x?'],
    ['**/private/**', 'cat private/x?', 'cat public/x?'],
    ['**/*.pem', 'cat certs/a*', 'cat certs/a?'],
    ['*secret*', 'cat src/s*.ts', 'cat src/?????.ts'],
    ['*x.ts', 'cat src/*.ts', 'cat src/*.md'],
    ['{a,b}.md', 'cat a.m?', 'cat a.tx?'],
    ['A.MD', 'cat a.m?', 'cat c.m?'],
    ['[ab].md', 'cat ?.md', 'cat c.md?'],
    ['/workspace/docs/a.md', 'cat docs/a.m?', 'cat docs/b.m?'],
  ])('SHELL-07 where %j is denied %j asks, and %j does not', (pattern, asks, runs) => {
    for (const tool of ['read', 'write']) {
      const permissions = {
        bash: 'allow',
        read: 'allow',
        [tool]: { '*': 'allow', [pattern]: 'deny' },
      }
      expect(judgeBash(asks, { permissions }).action).toBe('ask')
      expect(judgeBash(runs, { permissions }).action).toBe('allow')
    }
  })

  test('SHELL-02 rules for commands count where they could speak of a file', () => {
    const judged = (bash: Record<string, string>): string =>
      judgeBash('cat src/a*.ts', { permissions: { bash } }).action
    expect(judged({ '*': 'ask', 'cat *': 'allow' })).toBe('allow')
    expect(judged({ 'cat *': 'allow', '*axes*': 'deny' })).toBe('ask')
    expect(judged({ 'cat *': 'allow', '*axes*': 'ask' })).toBe('ask')
    expect(judged({ '*axes*': 'ask', 'cat *': 'allow' })).toBe('allow')
    expect(judged({ 'cat *': 'allow', 'rm *': 'deny', '*.md': 'deny' })).toBe('allow')
    expect(judged({ 'cat src/\\*.ts': 'allow' })).toBe('ask')
    expect(judged({ 'cat src/a\\*.ts': 'allow' })).toBe('allow')
    expect(judged({ 'cat src/a?.ts': 'allow' })).toBe('ask')
    const operator = { bash: [{ pattern: '*AXES*', action: 'deny' as const }] }
    expect(action('cat src/a*.ts', { operator })).toBe('ask')
    const off = { permissions: { '*': 'allow' } }
    expect(action('cat src/a*.ts', { ...off, operator })).toBe('ask')
    expect(action('cat src/a*.ts', off)).toBe('allow')
  })

  test('POL-01 what the policy forbids by path or text asks', () => {
    const facts = (rule: object) => ({
      facts: { policy: policyOf([{ effect: 'deny', tool: 'bash', ...rule }]) },
    })
    expect(action('cat src/*.ts', facts({ paths: ['src/secret.ts'] }))).toBe('ask')
    expect(action('cat src/*.ts', facts({ paths: ['src/secret.md'] }))).toBe('allow')
    const byText = judgeBash('cat src/*.ts', {
      permissions: { bash: 'allow', read },
      facts: { policy: policyOf([{ effect: 'deny', tool: 'bash', ...{ argsMatch: 'secret' } }]) },
    })
    expect(byText.action).toBe('ask')
    const only = policyOf([{ effect: 'allow', tool: 'bash', paths: ['src/**'] }], 'deny')
    expect(action('cat src/*.ts', { facts: { policy: only } })).toBe('deny')
  })

  test.each([
    ['rm -f *.tmp', 'allow', 'allow', 'ask'],
    ['rm -f build/*.tmp', 'allow', 'allow', 'ask'],
    ['chmod +x scripts/*.sh', 'allow', 'ask', 'allow'],
    ['mv ./a*.log logs/', 'ask', 'ask', 'ask'],
    ['mv src/*.log logs/', 'allow', 'allow', 'allow'],
    ['cp src/*.ts dist/', 'allow', 'allow', 'allow'],
    ['cp secrets/*.csv out/', 'ask', 'ask', 'ask'],
    ['rm secrets/*.tmp', 'ask', 'ask', 'ask'],
    ['cp *.json backup/', 'ask', 'ask', 'ask'],
    ['cp *.csv all.csv', 'ask', 'ask', 'ask'],
    ['cp -r *.ts *', 'ask', 'ask', 'ask'],
  ])(
    'SHELL-11 SHELL-12 %j changes files of one kind: %s, where *.sh may not be written %s, *.tmp %s',
    (command, plain, noSh, noTmp) => {
      const judged = (pattern: string): string =>
        action(command, {
          permissions: {
            bash: 'allow',
            read: { ...read, '*secret*': 'deny' },
            write: { '*': 'allow', '*.env.*': 'deny', [pattern]: 'deny' },
          },
        })
      expect([judged('*.x'), judged('*.sh'), judged('*.tmp')]).toEqual([plain, noSh, noTmp])
    },
  )

  test('SHELL-02 a rule that asks about one of the files that are changed counts', () => {
    const bash = { '*': 'allow', 'rm *keep*': 'ask' }
    expect(action('rm -f *.tmp', { permissions: { bash } })).toBe('ask')
    expect(action('chmod +x *.sh', { permissions: { bash } })).toBe('allow')
  })

  test('SHELL-12 sizes and checksums of files of one kind are told whatever reading them is', () => {
    const permissions = { bash: 'allow', read: { '*': 'allow', '*secret*': 'deny' } }
    for (const command of ['wc -l *.py', 'sha256sum release/*.zip', 'md5sum *.tar.gz'])
      expect([command, action(command, { permissions })]).toEqual([command, 'allow'])
    for (const command of ['wc -l *', 'sha256sum *', 'wc -l *.p?', 'md5sum ../*.zip', 'cat s*'])
      expect([command, action(command, { permissions })]).toEqual([command, 'ask'])
  })

  test('GATE-12 what belongs to the product asks', () => {
    const facts = { protectedPaths: [`${workspace}/own`, '/work'] }
    expect(action('cat o*', { facts, permissions: { bash: 'allow' } })).toBe('ask')
    expect(action('cat own/a?', { facts })).toBe('deny')
    expect(action('cat p?', { facts })).toBe('allow')
  })
})
