import { describe, expect, test } from 'vitest'
import { judgeBash } from '../support/judge-with.ts'

const open = { bash: { '*': 'allow' } }

describe('what a command is matched by', () => {
  test.each([
    ['git log --oneline | head -5', ['git log --oneline', 'head -5']],
    ['echo "a b" \'c d\' e\\ f', ['echo a b c d e f']],
    ['ls; (cat x; for f in a; do wc "$f"; done)', ['ls', 'cat x', 'wc a']],
    ['echo $(rm x)', ['echo $(rm x)', 'rm x']],
    ['sudo rm x', ['sudo rm x', 'rm x']],
    ['ls 2>/dev/null', ['ls']],
  ])('SHELL-01 %j gives %j', (command, patterns) => {
    expect(judgeBash(command).patterns).toEqual(patterns)
  })

  test('SHELL-01 a rule can name a program by its base name or in full', () => {
    const action = (command: string, pattern: string, verdict: string): string =>
      judgeBash(command, { permissions: { bash: { '*': 'ask', [pattern]: verdict } } }).action
    expect(action('/bin/rm x', 'rm *', 'deny')).toBe('deny')
    expect(action('/opt/x/rm x', 'rm *', 'deny')).toBe('deny')
    expect(action('/bin/rm x', '/bin/rm *', 'deny')).toBe('deny')
    expect(action('/usr/bin/git status', 'git *', 'allow')).toBe('allow')
    expect(action('./bin/tool x', './bin/tool *', 'allow')).toBe('allow')
  })

  test('SHELL-01 a bare name does not allow a file of that name in the workspace', () => {
    const permissions = { bash: { 'git *': 'allow' } }
    expect(judgeBash('./git status', { permissions }).action).toBe('ask')
    expect(judgeBash('src/git status', { permissions }).action).toBe('ask')
  })

  test('SHELL-02 any deny denies, else any ask asks', () => {
    const permissions = { bash: { '*': 'ask', 'ls *': 'allow', 'rm *': 'deny' } }
    expect(judgeBash('ls; pwd; rm x', { permissions }).action).toBe('deny')
    expect(judgeBash('ls; pwd', { permissions }).action).toBe('ask')
    expect(judgeBash('ls; ls -l', { permissions }).action).toBe('allow')
  })

  test('THREAT-2 rm -rf build/../src is denied by rm *', () => {
    const permissions = { '*': 'allow', bash: { '*': 'allow', 'rm *': 'deny' } }
    expect(judgeBash('rm -rf build/../src', { permissions }).action).toBe('deny')
  })

  test('SHELL-06 where output goes is checked as write, where input comes from as read', () => {
    const permissions = {
      bash: 'allow',
      write: { '*': 'allow', '*.env': 'deny' },
      read: { '*': 'allow', 'private/*': 'deny' },
    }
    expect(judgeBash('echo x > .env', { permissions }).action).toBe('deny')
    expect(judgeBash('echo x >> sub/.ENV', { permissions }).action).toBe('deny')
    expect(judgeBash('cat < private/x', { permissions }).action).toBe('deny')
    expect(judgeBash('cd sub && echo x > .env', { permissions }).action).toBe('deny')
    expect(judgeBash('echo x > out', { permissions }).action).toBe('allow')
    expect(judgeBash('echo x > "$OUT"', { permissions }).action).toBe('ask')
    expect(judgeBash('ls >/dev/null 2>&1', { permissions }).action).toBe('allow')
  })

  test('SHELL-07 THREAT-1 a word that goes up from a named folder asks: it may be a link that the repository brought', () => {
    const permissions = { bash: { '*': 'allow' }, read: { '*': 'allow', 'secrets/*': 'deny' } }
    const verdict = (command: string) => judgeBash(command, { permissions })
    for (const command of [
      'cat a/l/../key',
      'cat a/l/../../secrets2/key',
      'head -n 1 ./l/./../x',
      'cat --squeeze-blank l//../x',
      'cp x a/l/..',
      'grep -f l/../x y',
      'wc --files0-from=l/../x',
      'cat ../repo/l/../x',
    ])
      expect([command, verdict(command).action, verdict(command).risk]).toEqual([
        command,
        'ask',
        'high',
      ])
    for (const command of [
      'cd packages/web && cat ../../package.json',
      'cd src/.. && ls',
      'git diff origin/main..feature/x',
      "grep 'a/../b' x",
      "sed 's/a/../' x",
      'echo a/../b',
      'cat a/..b/x',
    ])
      expect([command, verdict(command).reasons]).toEqual([command, []])
  })

  test('SHELL-07 THREAT-15 outside and denied paths are named', () => {
    const permissions = { bash: 'allow', read: { '*': 'allow', '*.env': 'deny' } }
    expect(judgeBash('cat /etc/passwd', { permissions }).reasons.join()).toContain('/etc/passwd')
    expect(judgeBash('cat .env', { permissions }).reasons.join()).toContain('.env')
    expect(judgeBash('cd ../x && ls', { permissions }).reasons.join()).toContain('../x')
    expect(judgeBash('cd sub && cat ../.env', { permissions }).action).toBe('ask')
    expect(judgeBash('echo .env', { permissions }).action).toBe('allow')
  })

  test('SHELL-04 a rule for exactly this text allows a wrapper or an interpreter, one with a wildcard does not', () => {
    const exact = {
      bash: { "bash -c 'ls -l'": 'allow', 'sudo systemctl status': 'allow', 'sudo *': 'allow' },
    }
    expect(judgeBash("bash -c 'ls -l'", { permissions: exact }).action).toBe('allow')
    expect(judgeBash('bash -c ls -l', { permissions: exact }).action).toBe('ask')
    expect(judgeBash('sudo systemctl status', { permissions: exact }).action).toBe('ask')
    const alone = { bash: { 'sudo systemctl status': 'allow', 'systemctl status': 'deny' } }
    expect(judgeBash('sudo systemctl status', { permissions: alone }).action).toBe('deny')
    delete (alone.bash as Record<string, string>)['systemctl status']
    expect(judgeBash('sudo systemctl status', { permissions: alone }).action).toBe('allow')
    const module = { bash: { 'python -m pytest *': 'allow' } }
    expect(judgeBash('python -m pytest -x', { permissions: module }).action).toBe('allow')
    expect(
      judgeBash('python -m http.server', { permissions: { bash: { 'python *': 'allow' } } }).action,
    ).toBe('ask')
  })

  test('SHELL-04 what runs nothing is no wrapper', () => {
    for (const command of ['env', 'command -v node', 'nice']) {
      expect(judgeBash(command, { permissions: open }).action).toBe('allow')
    }
  })

  test('SHELL-03 the reason is named', () => {
    const reason = (command: string): string =>
      judgeBash(command, { permissions: open }).reasons.join()
    expect(reason('git log $(id)')).toContain('command expansion')
    expect(reason('for ((;;)); do ls; done')).toContain('for')
    expect(reason('A=1 ls')).toContain('sets a variable')
    expect(reason('ls )')).toContain('parser')
    expect(reason('ls\u200B')).toContain('invisible')
    expect(reason('')).toContain('no command')
    expect(reason('PATH=1 ls')).toContain('PATH')
    expect(reason('ls > out')).toContain('write "out"')
    expect(reason('ls > $out')).toContain('redirects')
    expect(reason('sudo ls')).toContain('sudo runs other commands')
  })

  test('SHELL-03 a cap never turns a deny into an ask', () => {
    const permissions = { bash: { '*': 'allow', 'rm *': 'deny' } }
    const many = 'ls; '.repeat(60)
    expect(judgeBash(many, { permissions }).action).toBe('ask')
    expect(judgeBash(`${many}rm x`, { permissions }).action).toBe('deny')
    const long = `echo ${'a'.repeat(11_000)}`
    expect(judgeBash(long, { permissions }).action).toBe('ask')
    expect(judgeBash(`${long}; rm x`, { permissions }).action).toBe('deny')
    expect(judgeBash(`${'('.repeat(5_000)} rm x`, { permissions }).action).toBe('deny')
    expect(judgeBash(`${'$('.repeat(2_000)} rm x`, { permissions }).action).toBe('deny')
    expect(judgeBash('x'.repeat(65_537), { permissions }).action).toBe('deny')
    expect(judgeBash('ls "; rm x', { permissions }).action).toBe('deny')
  })
})

describe('what *Always* offers', () => {
  test.each([
    ['git push origin main', ['git push *']],
    ['npm run build', ['npm run build']],
    ['npm run test -- --watch', ['npm run test *']],
    ['cat README.md', ['cat *']],
    ['docker compose up -d', ['docker compose up *']],
    ['kubectl rollout status deploy/x', ['kubectl rollout status *']],
    ['git stash pop', ['git stash pop']],
    ['aws s3 ls x', ['aws s3 ls *']],
    ['git add . && git commit -m x', ['git add *', 'git commit *']],
    ['ls | ls -l', ['ls', 'ls *']],
    ['frobnicate --all', ['frobnicate --all']],
    ['rm -rf build', ['rm -rf build']],
    ['dd if=a of=b', ['dd if=a of=b']],
    ['sudo systemctl restart x', ['sudo systemctl restart x']],
    ["bash -c 'ls; pwd'", ["bash -c 'ls; pwd'"]],
    ["python -c 'print(1 * 2)'", ["python -c 'print(1 \\* 2)'"]],
    ['python -m pytest -x', ['python -m pytest *']],
    ['find . -delete', ['find . -delete']],
    ['git -c a=b status', ['git -c a=b status']],
    ["grep 'a*b?' x", ['grep *']],
    ["frob 'a*b?'", ['frob a\\*b\\?']],
    ['./run.sh now', ['./run.sh now']],
    ['/usr/bin/git push x', ['git push *']],
  ])('SHELL-08 for %j it is %j', (command, patterns) => {
    expect(judgeBash(command).alwaysPatterns).toEqual(patterns)
  })

  test.each(['echo `date`', 'A=1 ls', 'ls > out', 'for x; do ls; done', 'cat /etc/passwd', 'ls &'])(
    'SHELL-08 nothing for %j, which no rule makes silent',
    (command) => {
      expect(judgeBash(command).alwaysPatterns).toEqual([])
    },
  )

  test('SHELL-08 a denied command offers nothing', () => {
    expect(judgeBash('ls', { permissions: { bash: 'deny' } }).alwaysPatterns).toEqual([])
  })

  test('SHELL-08 what was offered for a wrapper makes exactly that silent', () => {
    const command = "sudo sh -c 'systemctl  restart *'"
    const session = judgeBash(command).alwaysPatterns.map((pattern) => ({ tool: 'bash', pattern }))
    expect(judgeBash(command, { session }).action).toBe('allow')
    expect(judgeBash("sudo sh -c 'systemctl restart *'", { session }).action).toBe('ask')
  })
})

describe('options in front of a subcommand', () => {
  const bash = { '*': 'allow', 'git push *': 'deny', 'kubectl delete *': 'deny' }

  test.each([
    ['git --no-pager push origin main', 'deny'],
    ['git -P --no-optional-locks push', 'deny'],
    ['/usr/bin/git -P push', 'deny'],
    ['kubectl --namespace=prod delete pod x', 'deny'],
    // Whether an option takes the next word as its value is not known.
    ['kubectl -n prod delete pod x', 'ask'],
    ['kubectl -n prod get pods', 'allow'],
    ['git --no-pager log push', 'ask'],
    ['git -P log', 'allow'],
  ])('SHELL-10 a rule that denies the subcommand makes %j %s', (command, action) => {
    expect(judgeBash(command, { permissions: { bash } }).action).toBe(action)
  })

  test('SHELL-10 nor is an ask got round, while an allow names no more than it says', () => {
    const asking = { bash: { '*': 'allow', 'git push *': 'ask' } }
    expect(judgeBash('git -P push', { permissions: asking }).action).toBe('ask')
    const allowing = { bash: { 'git push *': 'allow' } }
    expect(judgeBash('git -P push', { permissions: allowing }).action).toBe('ask')
  })
})

describe('risk', () => {
  test.each([
    ['git push', 'medium'],
    ['sudo ls', 'high'],
    ['cat /etc/passwd', 'high'],
    ['ls > out', 'medium'],
    ['ls > ../out', 'high'],
  ] as const)('APPR-17 %j is %s', (command, risk) => {
    expect(judgeBash(command).risk).toBe(risk)
  })
})
