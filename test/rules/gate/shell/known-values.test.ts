// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeBash } from '../support/judge-with.ts'
import { attackClasses } from './attack-classes.ts'

const read = { '*': 'allow', '*.env': 'deny' }
const permissions = { bash: 'allow', read, write: 'allow' }

function action(command: string, bash: unknown = 'allow'): string {
  return judgeBash(command, { permissions: { ...permissions, bash } }).action
}

describe('loops over words that are known', () => {
  test.each([
    'for f in a.txt b.txt; do wc -l "$f"; done',
    'for f in a.json b.json; do jq .name $f; done | sort',
    'for d in api web; do (cd packages/$d && npm test); done',
    'for d in api web; do cd packages/${d} && npm test && cd ../..; done',
    'for p in core web; do npm test --workspace=$p; done',
    'for p in src/{a,b}.ts; do cat "$p"; done',
    'for a in x y; do for b in 1 2; do cat "$a/$b"; done; done',
    'for f in a b\ndo\n  # both\n  cat "$f"\ndone',
    'for f in src/*.ts; do cat "$f"; done',
    'for i in 1 2; do npm test || break; done',
  ])('SHELL-12 %j is judged as if each round were written', (command) => {
    expect(judgeBash(command, { permissions }).reasons).toEqual([])
  })

  test.each([
    'for f in .env x; do cat "$f"; done',
    'for f in env x; do cat ".$f"; done',
    'for f in .e; do cat ${f}nv; done',
    'for f in /etc/passwd; do cat "$f"; done',
    'for f in ..; do cat $f/x; done',
    'for d in .git; do cd $d; ls; cp a b; done',
    'for d in .. .; do (cd $d && ls); done',
    'for f in a b; do cd ..; done',
    'for f in a; do cd $f; continue; done; cd ..; ls',
    'for f in .npmrc; do cp a "$f"; done',
    'for f in a; do $f; done',
    'for f in sh; do "$f" x; done',
    'for f in a; do timeout 5 $f; done',
    'for f in a; do timeout 5 nice $f x; done',
    'for f in cat; do ls | xargs $f; done',
    'for f in -exec; do find . $f rm x \\;; done',
    'for f in -c; do python $f x; done',
    'for f in a; do echo x > $f; done',
    'for f in a; do f=.env; cat $f; done',
    'for f in a; do read -r f < x; cat "$f"; done',
    'for f in a; do command read -r f < x; cat "$f"; done',
    'for f in a; do builtin read -r f < x; cat "$f"; done',
    'for f in a; do while command read -r f; do cat "$f"; done < x; done',
    'for f in a; do for f in x; do cat "$f"; done; cat "$f"; done',
    'for f in a; do export f=x; cat "$f"; done',
    'for f in a; do printf -v f x; cat "$f"; done',
    'for f in a; do echo "$(sh "$f")"; done',
    'for f in a; do cat "${f@P}"; done',
    'for f in a; do cat "${!f}"; done',
    'for f in a; do cat $f$g; done',
    'for f in a; do cat x; done; cat "$f"',
    'for f in $(ls | sed s/a/b/); do cat "$f"; done',
    'for f in "$x"; do cat "$f"; done',
    'for f; do cat "$f"; done',
    'for f in ~ada; do cat "$f"; done',
    'for f in x,y; do cat {$f,b}; done',
    'for f in 3; do cat x{1..$f}; done',
    'for f in *.ts; do cat $f.bak; done',
    'for f in .*; do cat $f; done',
    'for f in *.ts; do cat "x$f"; done',

    'for f in *.e*; do cat "$f"; done',
    'for f in tests/*.py; do python "$f"; done',
    'for f in a; do cat "$f" & done',
    'for f in a; do eval "x=$f"; done',
    'for f in a; do cat() { id; }; cat $f; done',
    'for PATH in .; do ls "$PATH"; done',
    `for f in ${'a '.repeat(30)}; do cat "$f"; done`,
  ])('SHELL-03 SHELL-07 %j asks', (command) => {
    expect(action(command)).not.toBe('allow')
  })

  test('SHELL-02 a round that a rule denies or asks about counts', () => {
    const bash = { '*': 'allow', 'git push origin main': 'deny', 'git push origin x': 'ask' }
    expect(action('for b in dev main; do git push origin $b; done', bash)).toBe('deny')
    expect(action('for b in dev x; do git push origin $b; done', bash)).toBe('ask')
    expect(action('for b in dev; do git push origin $b; done', bash)).toBe('allow')
  })

  const attacks = Object.values(attackClasses)
    .flat()
    .filter((command) => !/[\n#;&|<]/.test(command) && !/['"\\]$/.test(command))

  test('SHELL-10 no attack becomes silent in a loop, nor with one of its words out of it', () => {
    const plain = attacks.filter((command) => /^[\w ./@:+=%-]+$/.test(command))
    fc.assert(
      fc.property(
        fc.constantFrom(...plain),
        fc.nat({ max: 6 }),
        fc.boolean(),
        (attack, nth, quoted) => {
          const words = attack.split(' ')
          const at = 1 + (nth % Math.max(words.length - 1, 1))
          const value = words[at] ?? 'a'
          const name = quoted ? '"$w"' : '$w'
          const text = words.map((word, index) => (index === at ? name : word)).join(' ')
          const loop = `for w in ${value}; do ${text}; done`
          expect([loop, action(loop)]).not.toEqual([loop, 'allow'])
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

describe('tests, values and tabs', () => {
  test.each([
    '[ -n "$x" ] && ls',
    '[ -z "$(git status --porcelain)" ]',
    '[ "$(ls | wc -l)" -gt 3 ] && echo many',
    '[ ! -f "$f" ] && ls',
    '[ $? -eq 0 ]',
    'test "$a" = "$b"',
    'if [ "$x" != y ]; then ls; fi',
    "sort -t$'\\t' -k2 x",
    "cut -d $'\\t' -f1 x",
    'jq --arg v "$(git rev-parse HEAD)" \'.a = $v\' x.json',
    'git commit -m "release $(date +%F)"',
    'git commit -am "bump $x"',
    "sed -e 's/^x//' -e '/^$/d' notes.txt",
    'grep -rn --exclude-dir=dist "process.env" .',
    'set -x; npm test',
    'set -euxo pipefail',
    'date -Iseconds',
    'npx prettier -c src',
    'npx -y prettier -c src',
    'node --test --test-reporter=spec test/',
    "go test -run 'TestParse/.*empty' ./internal",
    'hash -r',
    'ulimit -n',
    'alias',
    'export PATH',
    'make CC=gcc CFLAGS="-O2 -Wall" ENV=staging',
  ])('SHELL-12 %j is not asked about', (command) => {
    expect(judgeBash(command, { permissions }).reasons).toEqual([])
  })

  test.each([
    '[ $x = y ]',
    '[ "$x" ]',
    '[ -v "$x" ]',
    '[ "$x" -gt 1 -o -v y ]',
    '[ "$op" "$x" ]',
    '[ -n "$x"',
    '[ "$x" "$op" y ]',
    '[ ! "$x" ]',
    '[ "$a" = "$b" "$c" ]',
    '[ -n "$x" ] "$y"',
    '[ -n $(id) ]',
    '[ -n "${x:=$(id)}" ]',
    '[ -n "`id`" ]',
    '[ -n "${x@P}" ]',
    "sort -t$'\\x41' x",
    "cat $'\\x2eenv'",
    "cat $'\\t'/../.env",
    "$'\\t'",
    'cat "$\'\\t\'"',
    'jq --arg "$v" x .',
    'jq --arg a $v .',
    'jq "$x" f',
    'git commit -F "$x"',
    'git commit "$x"',
    'git commit -m $x',
    'git tag -m "$x" v1',
    'grep -e -e .env',
    'grep -e x .env',
    'sed -e p .env',
    'sed -e p -- -e .env',
    'grep --exclude-dir=x --file=.env y',
    'grep --exclude-from=.env x y',
    'set +e',
    'date -us x',
    'date -s 10',
    'npx -c id',
    'npx --yes -c id',
    'npx -p prettier -c id',
    'npx --package prettier -c id',
    'npx -y --call id',
    'npx sh -c id',
    'node --test --test-reporter=./x.js test/',
    'go test -exec ./x -run a',
    'go test -run a -o .npmrc',
    'set -v',
    'set -o posix',
    'set -- x',
    'set -xeo nounset',
    'hash -p ./evil ls',
    'hash ls',
    'ulimit -n 5',
    'alias ls=id',
    'export PATH=.',
    'export PATH LD_PRELOAD=x',
    'export LD_PRELOAD',
    'umask 0',
    'make CC=./evil',
    'make CC=sh',
    'make CFLAGS=-fplugin=x.so',
    'make CFLAGS="-O2 -B."',
    'make CFLAGS=-Wl,-plugin',
    'make SHELL=x',
    'make ENV=../x',
    "make ENV='$(shell id)'",
    'make ENV=-x',
    'make PREFIX=/usr',
  ])('SHELL-03 SHELL-07 SHELL-10 %j asks', (command) => {
    expect(action(command)).not.toBe('allow')
  })

  test.each([
    'GIT_PAGER=cat git log -3',
    'GIT_PAGER= git log',
    'GIT_EDITOR=true git rebase --continue',
    'GIT_TERMINAL_PROMPT=0 git fetch',
    'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
    'AWS_PROFILE=dev AWS_REGION=eu-west-1 aws s3 ls',
    'DATABASE_URL=postgres://a:b@localhost:5432/test npm test',
    'DATABASE_URL=sqlite:///./test.db pytest',
    'REDIS_URL=redis://127.0.0.1:6379/0 npm test',
  ])('SHELL-05 SHELL-12 %j sets what is known to change nothing that runs', (command) => {
    expect(judgeBash(command, { permissions }).reasons).toEqual([])
  })

  test.each([
    'GIT_PAGER=./x git log',
    'GIT_PAGER="cat | sh" git log',
    'GIT_EDITOR=x git commit',
    'PAGER=less git log',
    'NODE_OPTIONS=--require=./x.js npm test',
    'NODE_OPTIONS="--no-warnings --require=./x" npm test',
    'NODE_OPTIONS=--import=./x npm test',
    'AWS_PROFILE=../x aws s3 ls',
    'AWS_REGION=evil.example aws s3 ls',
    'DATABASE_URL=postgres://db.example/prod npm test',
    'DATABASE_URL=postgres://localhost.evil.example/x npm test',
    'DATABASE_URL=postgres://localhost:1@evil.example/x npm test',
    'DATABASE_URL=postgres://localhost/x?host=evil.example npm test',
    'DATABASE_URL=sqlite:////etc/x.db npm test',
    'DATABASE_URL=file:../x.db npm test',
    'DATABASE_URL=$X npm test',
    'PYTHONPATH=src pytest',
    'export NODE_OPTIONS=--require=x',
  ])('SHELL-05 %j asks', (command) => {
    expect(action(command)).not.toBe('allow')
  })
})

describe('values of own variables elsewhere', () => {
  const actions = (commands: readonly string[]) =>
    commands.map((command) => [command, action(command)])

  test('SHELL-12 a file that a command reads may be named by one', () => {
    const silent = [
      ...['f=a.txt; wc -l < $f', 'f=a.txt && wc -l < "$f"', 'f=a; { cat < $f; }'],
      'for f in a.txt b.txt; do wc -l < "$f"; done',
    ]
    expect(actions(silent)).toEqual(silent.map((command) => [command, 'allow']))
    const asks = [
      ...['f=/etc/passwd; cat < $f', 'f=a; f=.env; cat < $f', 'f=a; read f < x; cat < $f'],
      ...['f=a; echo x > $f', 'f=a; cat <& $f', 'f=a; cat <> $f', 'f=a; cat < $f$g'],
      ...['f=x; sh < $f', 'for f in *; do cat < $f; done', 'PATH=a; cat < $PATH'],
    ]
    expect(actions(asks)).toEqual(asks.map((command) => [command, 'ask']))
    const denied = ['f=.env; wc < $f', 'f=.; cat < ${f}env', 'for f in .env; do cat < "$f"; done']
    expect(actions(denied)).toEqual(denied.map((command) => [command, 'deny']))
  })

  test('SHELL-12 SHELL-10 sums with one are calculated where it is a number', () => {
    const silent = [
      ...['N=10; echo $((N - 1))', 'N=10 && head -n "$((N / 2))" a', 'n=5; m=3; echo $(($n * m))'],
      'for i in 1 2 3; do sed -n "$((i + 1))p" a.txt; done',
    ]
    expect(actions(silent)).toEqual(silent.map((command) => [command, 'allow']))
    expect(judgeBash('N=10; head -n $((N * 2)) a', { permissions }).patterns).toEqual([
      'head -n 20 a',
    ])
    const asks = [
      ...[
        'N=abc; echo $((N))',
        'N=x[1]; echo $((N))',
        'N=010; echo $((N))',
        'N=1; echo $((N + M))',
      ],
      ...[
        'N=1; echo $((N++))',
        'N=1; echo $((N=5)); cat $N',
        'N=1; N=a; echo $((N))',
        'N=1; cat $((N)).env',
      ],
      ...[
        'N=1; read N < x; echo $((N))',
        'N=1; echo $((N[1]))',
        'for f in *; do echo $((f)); done',
      ],
      ...[
        'for f in a 1; do echo $((f + 1)); done',
        'N=1; echo $((0$N))',
        'N=1; sh -c "echo $((N))"',
      ],
    ]
    expect(actions(asks)).toEqual(asks.map((command) => [command, 'ask']))
  })

  test('SHELL-12 SHELL-10 a header of curl may hold one, behind -H alone', () => {
    const url = 'https://api.example.com/x'
    const header = '-H "Authorization: Bearer $TOKEN"'
    const silent = ['', '-s', '-X POST', '-H "Accept: */*"', "-H 'X: y'", '-H "X-Id: ${ID}"']
    const given = silent.map((words) => `curl ${words} ${header} ${url}`)
    expect(actions(given)).toEqual(given.map((command) => [command, 'allow']))
    const words =
      '-b|-o|-so|"-b"|\\-b|$x|{-s,-b}|--cookie|-H "@$F"|-H "$F"|-H $F|-H "A: $(cat x)"|-H "A: `cat x`"|-H "A: ${F@P}"|-H "A: ${!F}"|-H "A:$F"|-d "A: $F"|-H "A: $F"b|-H "A: $((x))"'
    const others = words.split('|').map((word) => `curl ${word} ${header} ${url}`)
    expect(actions(others)).toEqual(others.map((command) => [command, 'ask']))
    expect(action(`curl ${header} ${url}`, { 'curl *': 'allow', '*example.com*': 'ask' })).toBe(
      'ask',
    )
  })
})
