import { describe, expect, test } from 'vitest'
import { listingsOf } from '../../../../../src/rules/gate/paths/judged-paths.ts'
import { factsOf, judgeBash, type Setting, specOf, workspace } from '../../support/judge-with.ts'
import { policyOf } from '../../support/policy-of.ts'

const read = { '*': 'allow', '*.env': 'deny', '**/.env': 'deny', 'secrets/**': 'deny' }

function action(command: string, setting: Setting = {}): string {
  return judgeBash(command, { permissions: { bash: 'allow', read }, ...setting }).action
}

/** What the box looks at before a command runs. */
function looks(command: string, setting: Setting = {}) {
  const facts = factsOf({ permissions: { bash: 'allow', read }, ...setting })
  return listingsOf({ spec: specOf('bash'), args: { command } }, facts)
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
    'cat src/?env',
    'cat src/x.[e]nv',
    'cat src/*.e?v',
    'cat secre*',
    'cat secrets/*.md',
    'cat secrets/a?',
    'cd secrets && cat a?',
    'cd src; cat ../a?',
    'cat ../*.ts',
    'cat .*',
    'cat .e*',
    'grep -e -- *.ts',
    'grep -A -- *.ts',
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
    'cat */x',
    'cat */*.ts',
    'cat src/*/*.ts',
    'cat *',
    'cat src/*',
    'cat s*',
    'sort *.txt',
    'sort *',
    'grep x *',
    'grep x *.ts',
    'mv *.json out/',
    'cp *.md .',
    'chmod +x *',
    'sha256sum *',
    'touch *.ts',
    'wc *',
    'sort -n -- *.txt',
    'diff *',
    'cut -f1 *',
    'rg foo *',
    'cp *.json dir/',
    'ls -d .*',
    'git add *',
    'git add src/*.ts',
    'zcat logs/*.gz',
    'shellcheck scripts/*.sh',
    'gzip -l data/*.gz',
    'node --test test/*.test.js',
    'hadolint docker/*/Dockerfile',
    'prettier --check src/*.ts',
    'mkdir -p backup && cp *.json backup/',
    'cat a*.csv > all.csv',
    'ls; wc -l *; rm x',
    'jq -r .name packages/*/package.json',
    'sort -k -- *.txt',
    'for f in *; do cat "$f"; done',
    'if [ -d x ]; then cp *.json x/; fi',
  ])('SHELL-07 SHELL-12 the names that %j stands for are looked at by the box', (command) => {
    expect(
      judgeBash(command, { permissions: { bash: 'allow', read, write: 'allow' } }).reasons,
    ).toEqual([])
    expect(looks(command).length).toBeGreaterThan(0)
  })

  test.each([
    'rm *',
    'rm -rf *',
    'rm src/*',
    'mv *.ts dist',
    'ln -s * x/',
    'find * -delete',
    'git rm *',
    'git checkout *',
    'git checkout -- *.ts',
    'git *',
    'npm *',
    'node *',
    'python *',
    'bash *',
    'sh x*',
    'xargs *',
    'env *',
    'sudo *',
    '. *',
    'eval *',
    'cd *',
    'timeout 5 *',
    'tee *',
    'dd *',
    'curl *',
    'rsync * h:x',
    'unzip *',
    'gunzip *',
    'tar *',
    'sed *',
    'awk *',
    'jq *',
    'uniq *',
    'xxd *',
    'xargs cat *',
    'wc -*',
    'cp * -t x',
    'cp * x',
    'cp -S .bashrc * d/',
    'mv a *',
    'docker *',
    'kubectl *',
    'make *',
    'cat .*',
    'cat src/.*',
    'ls .*',
    'cat *; touch -- -x; cat *',
    'touch -- -x; cat *',
    'ln -s /etc/passwd x; cat *',
    'mv .env x; wc *',
    'echo > -x; wc *',
    "echo > 'x=1'; wc *",
    'for i in 1 2; do cat *; mv a b; done',
    'cat * | tee x',
    'x=$(mv .env x) cat *',
    'f() { mv .env x; }; f; cat *',
    'cat $(mv .env x) *',
    'npm run build && cat *',
    'shopt -s dotglob; cat *',
    'set +f; IFS=x; cat *',
    'GLOBIGNORE=x; cat *',
    'cd ..; cat *',
    'cd /etc && cat *',
    'cd secrets; cat *',
    'cat *env',
    'cat *.env',
    'cat p*.env',
    'cat [!a]*',
    'cat s?crets/*',
    'cat secret*/*',
    'cat ../*',
    'cat ~/*',
    'cat /*',
    'cat {a,b}/*',
    'cat "$x"/*',
    'cat $x*',
    'cat a=*/x',
    'cat host:*',
    'echo x > *',
    'echo x > d/*',
    'cat < .e*',
    'mkdir -p .git/hooks && cp *.sh .git/hooks/',
    'cp *.json .vscode/',
    'cat * &',
    // The program looks for them in another directory than bash.
    'tar -C d -cf a.tar *',
    'tar --directory=d -cf a.tar *',
    'tar cfC a.tar d *',
    'jar cf a.jar -C d *',
    'make -C d a/*',
    // Names are patterns, code, orders or hosts to these.
    'rename *.txt',
    'prename d/*',
    'dig *',
    'ping *',
    'gcp d/* .',
    'gmv d/*.md .',
    'ginstall d/* .',
    'strange p*.11 -c x',
    'redis-cli d/*',
  ])('SHELL-07 SHELL-10 THREAT-1 %j asks', (command) => {
    const permissions = { bash: 'allow', read, write: 'allow' }
    expect(judgeBash(command, { permissions }).action).toBe('ask')
  })

  test('SHELL-07 a wildcard that the box cannot look at asks for one reason, in words', () => {
    for (const command of ['mv a b; cat *', 'mv a b; wc -l *'])
      expect(judgeBash(command, { permissions: { bash: 'allow', read } }).reasons).toEqual([
        '* may stand for what rules keep from being read or written',
      ])
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
  ])(
    'SHELL-07 where %j is denied %j asks or is left to the box, and %j runs',
    (pattern, asks, runs) => {
      for (const tool of ['read', 'write']) {
        const permissions = {
          bash: 'allow',
          read: 'allow',
          [tool]: { '*': 'allow', [pattern]: 'deny' },
        }
        const isLeft = looks(asks, { permissions }).length > 0
        expect(isLeft || judgeBash(asks, { permissions }).action === 'ask').toBe(true)
        expect(judgeBash(runs, { permissions }).action).toBe('allow')
      }
    },
  )

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
    ['mv ./a*.log logs/', 'allow', 'allow', 'allow'],
    ['mv src/*.log logs/', 'allow', 'allow', 'allow'],
    ['cp src/*.ts dist/', 'allow', 'allow', 'allow'],
    ['cp secrets/*.csv out/', 'ask', 'ask', 'ask'],
    ['rm secrets/*.tmp', 'ask', 'ask', 'ask'],
    ['cp *.json backup/', 'allow', 'allow', 'allow'],
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
    for (const command of ['wc -l *', 'sha256sum *', 'cat s*'])
      expect([command, looks(command, { permissions }).length]).toEqual([command, 1])
    for (const command of ['wc -l *.p?', 'md5sum ../*.zip', 'cat secre*'])
      expect([command, action(command, { permissions })]).toEqual([command, 'ask'])
  })

  test('GATE-12 what belongs to the product asks', () => {
    const facts = { protectedPaths: [`${workspace}/own`, '/work'] }
    expect(action('cat o*', { facts, permissions: { bash: 'allow' } })).toBe('ask')
    expect(action('wc -l *', { facts, permissions: { bash: 'allow' } })).toBe('ask')
    expect(action('cat own/a?', { facts })).toBe('deny')
    expect(action('cat p?', { facts })).toBe('allow')
  })
})
