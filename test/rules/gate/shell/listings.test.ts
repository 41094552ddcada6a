import { describe, expect, test } from 'vitest'
import { evaluateCall } from '../../../../src/rules/gate/gate.ts'
import { listingsOf as leftToBox } from '../../../../src/rules/gate/paths/judged-paths.ts'
import { leastProcessorMs } from '../../../support/processor-ms.ts'
import { factsOf, specOf } from '../support/judge-with.ts'

const permissions = {
  bash: { '*': 'allow' },
  read: { '*': 'allow', '*.env': 'deny', '*secret*': 'deny' },
  write: 'allow',
}
const facts = factsOf({ permissions })
const callOf = (command: string) => ({ spec: specOf('bash'), args: { command } })
const actionOf = (command: string, given = facts) => evaluateCall(callOf(command), given).action
const listingsOf = (command: string) => leftToBox(callOf(command), facts)

describe('names that come through a pipe', () => {
  test.each([
    ["find src -name '*.ts' | xargs wc -l | sort -n | tail -20", "find src -name '*.ts'"],
    ['grep -rl "old" src 2>/dev/null | xargs sed -n \'1,3p\'', 'grep -rl "old" src'],
    ["git ls-files | grep '\\.ts$' | head -5 | xargs cat", "git ls-files | grep '\\.ts$'"],
    ['git diff --name-only main | sort -u | xargs grep -n TODO', 'git diff --name-only main'],
    ['ls *.txt | xargs wc -l', 'ls *.txt'],
    ['rg -l foo -g "*.ts" | xargs -n1 head -3', 'rg -l foo -g "*.ts"'],
    ['fd -e ts | xargs cat', 'fd -e ts'],
    ['find . -mtime -2 -type f | xargs -I{} head -1 {}', 'find . -mtime -2 -type f'],
  ])('SHELL-12 SHELL-04 %s is left to the box', (command, text) => {
    expect(actionOf(command)).toBe('allow')
    expect(listingsOf(command)).toEqual([{ text, directory: facts.workspace }])
  })

  test.each([
    ["find . -name '*.ts' -print0 | xargs -0 sed -n 1,5p", "find . -name '*.ts' -print0"],
    ['git ls-files -z | xargs -0 wc -l', 'git ls-files -z'],
    ['rg --files -0 | xargs -0 -n1 du', 'rg --files -0'],
  ])('SHELL-12 SHELL-04 %s is left to the box, each name ended by NUL', (command, text) => {
    expect(actionOf(command)).toBe('allow')
    expect(listingsOf(command)).toEqual([{ text, directory: facts.workspace, isNul: true }])
  })

  test.each([
    'find . -print0 | sort -z | xargs -0 sed -n 1p',
    'git ls-files | xargs -0 wc',
    'mv .env x; git ls-files -z | xargs -0 wc',
    'git ls-files -z | xargs -0 sed -i s/a/b/',
    'git ls-files -z | xargs -0 rm',
    "find . -name '.e*' -print0 | xargs -0 sed -n 1p",
    'find . -print0 | xargs -0 sh',
  ])('SHELL-04 SHELL-10 %s asks', (command) => {
    expect(actionOf(command)).toBe('ask')
  })

  test('SHELL-04 they are looked for wherever the command may stand', () => {
    const places = listingsOf('cd web && find . -type f | xargs cat').map(
      ({ directory }) => directory,
    )
    expect(places).toEqual([`${facts.workspace}/web`])
    expect(actionOf('cd web && find . -type f | xargs cat')).toBe('allow')
    expect(actionOf('cd ..; find . -type f | xargs cat')).toBe('ask')
  })

  test.each([
    // What is given may be something else by then.
    ...[
      "touch 'x .env y'; find . -name 'x*' | xargs cat",
      'npm test && find . -type f | xargs cat',
    ],
    ...["find . -type f | xargs cat > 'x .env y'", 'echo x > n.txt; cat n.txt | xargs cat'],
    ...['git pull; git ls-files | xargs cat', 'mv a b && ls | xargs cat'],
    // Something chooses among names by what nobody knows, or makes them.
    ...[
      "find . -name '.e*' | xargs cat",
      "git ls-files | grep '^prod' | xargs cat",
      'fd env | xargs cat',
    ],
    ...[
      "ls | sed 's/.*/.env/' | xargs cat",
      'cat files.txt | xargs wc -l',
      'find . -print0 | xargs cat',
    ],
    ...[
      "rg -l -g '.e*' x | xargs cat",
      'grep -rl --include=p*.env x . | xargs cat',
      "ls | awk '{print $1}' | xargs cat",
    ],
    // What prints it may print something else the next time.
    ...[
      'find . -mmin +1 | xargs cat',
      'find . -amin -1 | xargs cat',
      'find . ! -mmin -1 | xargs cat',
    ],
    ...["find . -newermt '5 sec ago' | xargs cat", 'find . -mmin -5 -quit | xargs cat'],
    ...["awk 'BEGIN{srand();print rand()}' | xargs cat", 'sort -R a.txt | xargs cat'],
    ...['cat | xargs cat', 'while read -r f; do cat | xargs cat; done < a.txt', 'xargs cat'],
    ...["git diff --name-only 'HEAD@{1 minute ago}' | xargs cat", 'echo "$x" | xargs cat'],
    ...[
      "cat files.txt | sed '1d' | xargs cat",
      'ls | tr a b | xargs cat',
      'ls | grep x f.txt | xargs cat',
    ],
    ...[
      'ls | head 5 | xargs md5sum',
      'ls | cut -f 1 x | xargs cat',
      "ls | sed 's/a/b/w f' | xargs cat",
    ],
    ...['for f in a b; do ls "$f" | xargs cat; done < c', 'ls | { cd src; xargs cat; }'],
    ...["grep -rl x 'y .env z' |& xargs cat", "ls 'y .env z' 2>&1 | xargs cat"],
    ...['LD_PRELOAD=x find . | xargs cat', 'find . -type f | while read -r f; do xargs cat; done'],
    // What is given may be more than a name of a file to it.
    ...[
      'ls | xargs sed -n',
      'ls | xargs awk',
      'ls | xargs -I{} sed -n {} a',
      "ls | xargs -I{} awk '{}' a",
    ],
    ...[
      'ls | xargs -d, cat',
      'ls | xargs -I{} cat src/{}',
      'ls | xargs -I{} rg --{} x',
      'ls | xargs sh',
    ],
    ...['ls | xargs sed -i s/a/b/', 'ls | xargs rg --pre', 'ls | xargs sort -o', 'ls | xargs tee'],
    ...[
      'ls | xargs jq -f',
      'ls | xargs file -m',
      'ls | xargs file -f',
      'ls | xargs python',
      'ls | xargs rm',
    ],
    ...[
      'ls | xargs cp -t src',
      'ls | xargs tar -cf a.tar',
      'ls | xargs node',
      'ls | xargs env cat',
    ],
  ])('SHELL-04 %s asks', (command) => {
    expect([command, actionOf(command)]).toEqual([command, 'ask'])
    expect(listingsOf(command)).toEqual([])
  })

  test('SHELL-04 BOX-01 where nothing confines commands they ask, and so they do where rules do not allow what reads them', () => {
    const command = 'find src -type f | xargs cat'
    expect(actionOf(command, { ...facts, confined: false })).toBe('ask')
    const only = factsOf({
      permissions: { ...permissions, bash: { 'find *': 'allow', 'xargs *': 'allow' } },
    })
    expect(actionOf(command, only)).toBe('ask')
    const denied = factsOf({
      permissions: { ...permissions, bash: { '*': 'allow', 'cat *': 'deny' } },
    })
    expect(actionOf(command, denied)).toBe('deny')
  })
})

describe('names that would become others', () => {
  test.each([
    "ls sub | xargs -I{} -I% awk '{print 5 % 2}' f",
    'find . -maxdepth 0 | xargs -I{} -I% cat %env',
    'find . -maxdepth 0 -print0 | xargs -0 -I% cat %env',
    'find . -maxdepth 0 -print0 | xargs -0 -I% cat %/../outside.txt',
    'find . -maxdepth 0 | xargs -I% sha256sum %env',
    'find . -maxdepth 0 | xargs -I% ls -la %/%/%/../../../etc',
    'find . -type f -name outside.txt -print0 | xargs -0 -d , cat',
    'find . -type f -name outside.txt -print0 | xargs -0 --delimiter=, cat',
    "git ls-files -z --forma='%x2ftmp%x2foutside.txt' | xargs -0 cat",
    'git diff --name-only -z --line-prefix=. | xargs -0 cat',
    'git diff --name-only -z --relative=q | xargs -0 cat',
    'git ls-files -z -ci -X pats | xargs -0 cat',
    "grep -rlZ '' --inc='.en?' . | xargs -0 cat",
    "rg --hidden --type-add 'e:*.en?' -te --files -0 | xargs -0 cat",
    'rg --files -0 --path-separator=. a | xargs -0 cat',
    "find . -maxdepth 1 ! -name '[!.]*' ! -name '.[!e]*' -type f -print0 | xargs -0 cat",
    "find . -not -path '*[!v]' -print0 | xargs -0 cat",
    "git grep -l --no-files-with-matches -h '' f | xargs cat",
  ])('SHELL-04 SHELL-10 %s asks', (command) => {
    expect(actionOf(command)).toBe('ask')
  })

  test.each([
    ["cat <<'EOF'; x=a", 'body', 'EOF', 'cat $x', 'cat .env', 'EOF'].join('\n'),
    [
      "cat <<'EOF'; for f in a; do",
      'body',
      'EOF',
      'cat $f',
      'cat .env',
      'EOF',
      'true',
      'done',
    ].join('\n'),
    ['cat <<EOF; x=a', 'body', 'EOF', 'echo "$x"', 'sudo rm -rf /', 'EOF'].join('\n'),
  ])(
    'SHELL-10 a here-document hides no command from a value that is written out: %j',
    (command) => {
      expect(actionOf(command)).toBe('ask')
    },
  )

  test('SHELL-09 a long pipe of listings costs no more than another', () => {
    const command = `find ${'a '.repeat(2500)}| ${'xargs wc|'.repeat(490)}cat`
    expect(leastProcessorMs(() => actionOf(command), 50)).toBeLessThan(50)
  })
})

describe('wildcards behind what runs another command', () => {
  test.each([
    ['timeout 5 wc *', '*'],
    ['nice -n 5 npx -y eslint src/*.ts', 'src/*.ts'],
    ['npx prettier --check src/*.ts', 'src/*.ts'],
    ['env CI=1 cat data/*', 'data/*'],
    ['nohup stdbuf -oL git add src/*', 'src/*'],
  ])('SHELL-12 SHELL-04 %s is left to the box', (command, glob) => {
    expect(actionOf(command)).toBe('allow')
    expect(listingsOf(command)).toMatchObject([{ text: `printf '%s\\0' ${glob}`, isNul: true }])
  })

  test('SHELL-04 SHELL-10 where they may be more than names of files they ask', () => {
    const asks =
      'timeout * wc x|timeout 5 *|timeout 5 * x|timeout 5 sh x/*|nice python *.py|timeout 5 rm *|env A=* wc x|env CI=* wc x|' +
      'npx *|npx x/*|npx sh x/*|npx -p x eslint src/*|npx tsx src/*.ts|npx cat *|npx cp * dir/|npx eslint -c src/*|' +
      "timeout 5 xargs wc *|timeout 5 psql *.sql|timeout {5,6} wc *|timeout 5 'wc' *|sudo wc *|timeout 5 cat .e*|timeout 5 cd *"
    const passed = asks.split('|').filter((command) => actionOf(command) === 'allow')
    expect(passed).toEqual([])
  })

  test('SHELL-04 SHELL-07 code that a wildcard names asks, as scripts of interpreters do; tests and linters run', () => {
    const code =
      'npx vite-node src/*.ts|vite-node *.ts|yarn tsx *.ts|pnpm exec jiti *.ts|npm exec vite-node *.ts|bun run src/*.ts|npx zx *.mjs|' +
      'npx -y esno *.ts|npx tsm *.ts|esr *.ts|timeout 5 vite-node *.ts|npx coffee *.coffee|streamlit run *.py|pm2 start *.js'
    expect(code.split('|').filter((command) => actionOf(command) === 'allow')).toEqual([])
    const plain =
      'npx vite-node src/x.ts|npx vitest run src/*.test.ts|bun test src/*.test.ts|bats test/*.bats|yarn eslint src/*.ts|go test ./*.go'
    expect(plain.split('|').filter((command) => actionOf(command) !== 'allow')).toEqual([])
  })

  test('SHELL-04 rules for what runs count as if it stood alone', () => {
    const by = (bash: unknown, command: string) =>
      actionOf(command, factsOf({ permissions: { ...permissions, bash } }))
    expect(by({ '*': 'allow', 'wc *secret*': 'deny' }, 'timeout 5 wc *')).toBe('ask')
    expect(by({ '*': 'allow', 'wc -l a*': 'ask' }, 'timeout 5 wc -l *')).toBe('ask')
    expect(by({ '*': 'allow', 'eslint *test*': 'ask' }, 'npx eslint src/*.ts')).toBe('ask')
    expect(by({ 'timeout *': 'allow' }, 'timeout 5 wc *')).toBe('ask')
    expect(by({ 'timeout *': 'allow', 'wc *': 'allow' }, 'timeout 5 wc *')).toBe('allow')
    expect(by({ 'npx *': 'allow' }, 'npx eslint src/*.ts')).toBe('allow')
    expect(by({ '*': 'allow', 'rm *': 'deny' }, 'timeout 5 wc *')).toBe('allow')
  })
})

describe('ids that come through a pipe', () => {
  test.each([
    "docker ps -q | xargs docker inspect --format '{{.Name}}'",
    'docker ps -aq | head -3 | xargs -n1 docker port',
    'kubectl get pods -n prod -o name | xargs kubectl -n prod logs --tail=5',
    'kubectl get pods -o name | xargs -I{} kubectl logs {} --tail=3',
  ])('SHELL-12 %s shows what they name', (command) => {
    expect(actionOf(command)).toBe('allow')
  })

  test('SHELL-04 SHELL-10 where they may be more, or it does more, it asks', () => {
    const docker = 'rm|stop|exec|inspect -f|logs -f|{} x|logs x{}|--context x inspect|inspect --tls'
      .split('|')
      .map((words) => `docker ps -q | xargs -I{} docker ${words}`)
    const kubectl = 'delete|get --kubeconfig|get -f|get -o|get -o jsonpath-file=x|exec|apply'
      .split('|')
      .map((words) => `kubectl get pods -o name | xargs kubectl ${words}`)
    const listers =
      'docker ps|docker ps -q --format x|docker -H x ps -q|./docker ps -q|echo x|cat f|find . -type f|ls|git ls-files|kubectl get pods|' +
      'kubectl get pods -o name --kubeconfig x|kubectl get pods -o jsonpath=x -o name|kubectl get pods -o name | sed s/a/b/|docker ps -q < x'
    const others = listers.split(/\|(?! )/).map((lister) => `${lister} | xargs docker inspect`)
    const files = 'cat|wc|ls|./docker inspect|sh|node'
      .split('|')
      .map((words) => `docker ps -q | xargs ${words}`)
    const passed = [...docker, ...kubectl, ...others, ...files].filter(
      (command) => actionOf(command) === 'allow',
    )
    expect(passed).toEqual([])
  })
})
