import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeBash, type Setting } from '../support/judge-with.ts'
import { attackClasses } from './attack-classes.ts'
import { moreAttacks } from './more-attacks.ts'

const read = { '*': 'allow', '*.env': 'deny', '*secret*': 'deny' }
const open = { permissions: { bash: 'allow', read, write: 'allow' } }

function action(command: string, setting: Setting = open): string {
  return judgeBash(command, setting).action
}

const wrappers = [
  ...[
    'timeout 5',
    'timeout 30s',
    'timeout -k 5 -s KILL 1m',
    'timeout --signal=TERM --foreground 5',
  ],
  ...['nohup', 'nohup --', 'nice', 'nice -n 10', 'nice -5', 'ionice -c2 -n 7', 'ionice -c 3'],
  ...['stdbuf -oL -e0', 'stdbuf --output=L', 'setsid', 'setsid -w', 'command', 'env'],
  ...['env NODE_ENV=test CI=1', '/usr/bin/timeout 5', 'timeout 5 nice -n 5 env CI=1'],
]

describe('wrappers that change nothing but how long, how fast or how a command shows', () => {
  test.each(wrappers)(
    'SHELL-04 SHELL-12 under rules for both, %j in front asks nothing of its own',
    (wrapper) => {
      const names = `${wrapper} npm`.split(/\s+/).filter((word) => /^[a-z]/.test(word))
      const bash = Object.fromEntries(
        [...names, '/usr/bin/timeout'].map((name) => [`${name} *`, 'allow']),
      )
      expect(action(`${wrapper} npm test`, { permissions: { bash } })).toBe('allow')
      expect(
        action(`${wrapper} npm test 2>&1 | tail -5`, {
          permissions: { bash: { ...bash, 'tail *': 'allow' } },
        }),
      ).toBe('allow')
      expect(action(`${wrapper} npm test`)).toBe('allow')
    },
  )

  test.each(wrappers)(
    'SHELL-04 %j asks where only the wrapper or only the command is allowed',
    (wrapper) => {
      const { 'npm *': _, ...outer } = Object.fromEntries(
        `${wrapper} npm`
          .split(/\s+/)
          .filter((word) => /^[a-z/]/.test(word))
          .map((name) => [`${name} *`, 'allow']),
      )
      expect(action(`${wrapper} npm test`, { permissions: { bash: outer } })).toBe('ask')
      expect(action(`${wrapper} npm test`, { permissions: { bash: { 'npm *': 'allow' } } })).toBe(
        'ask',
      )
      const asks = { ...outer, 'npm *': 'allow', 'npm publish *': 'ask' }
      expect(action(`${wrapper} npm publish`, { permissions: { bash: asks } })).toBe('ask')
      const denies = { '*': 'allow', 'npm publish *': 'deny' }
      expect(action(`${wrapper} npm publish`, { permissions: { bash: denies } })).toBe('deny')
    },
  )

  test.each(wrappers)(
    'SHELL-04 SHELL-11 behind %j a command asks whatever it asks alone',
    (wrapper) => {
      for (const command of [
        'cat .env',
        'cat /etc/passwd',
        'cp a .npmrc',
        'sh -c id',
        'sh x',
        'python -c x',
        'find . -delete',
        'xargs rm',
        'docker run x sh',
        'npx tool',
        'cd ..',
        'ls > .git/hooks/x',
      ])
        expect([
          command,
          action(`${wrapper} ${command}`, {
            permissions: {
              bash: {
                ...Object.fromEntries(wrapper.split(' ').map((word) => [`${word} *`, 'allow'])),
                'cat *': 'allow',
                'cp *': 'allow',
                'sh *': 'allow',
                'python *': 'allow',
                'find *': 'allow',
                'xargs *': 'allow',
                'rm *': 'allow',
                'cd *': 'allow',
                'ls *': 'allow',
                'docker *': 'allow',
              },
              read,
              write: 'allow',
            },
          }),
        ]).toEqual([command, 'ask'])
      expect(action(`echo id | ${wrapper} sh`)).toBe('ask')
      expect(action(`${wrapper} sh <<'EOF'\nid\nEOF`)).toBe('ask')
      expect(action(`ls | ${wrapper} python3`)).toBe('ask')
    },
  )

  test('SHELL-04 a form that a rule names, or all that it runs, is enough behind one too', () => {
    const judged = (bash: Record<string, string>): string =>
      action('timeout 60 npx vitest run', { permissions: { bash } })
    expect(judged({ 'timeout *': 'allow', 'npx *': 'allow' })).toBe('allow')
    expect(judged({ '*': 'allow' })).toBe('allow')
    expect(judged({ '*': 'allow', 'vitest *': 'ask' })).toBe('ask')
  })

  test.each([
    ...[
      'timeout x npm test',
      'timeout npm test',
      'timeout -x 5 npm test',
      'timeout 5',
      'timeout 5 -- npm test',
    ],
    ...[
      'nice --x npm test',
      'nice -n x npm test',
      'nice',
      'ionice -p 1',
      'stdbuf -x npm test',
      'setsid -f npm test',
    ],
    ...[
      'env -S "npm test"',
      'env -i npm test',
      'env -u X npm test',
      'env PATH=. npm test',
      'env X=1 npm test',
    ],
    ...[
      'env LD_PRELOAD=x npm test',
      'env CI=1 PATH=. npm test',
      'command cd ..',
      'command cd / && ls',
    ],
    ...[
      'command -p npm test',
      'command eval x',
      'command . x',
      './timeout 5 npm test',
      'bin/nice npm test',
    ],
    ...[
      'timeout 5 X=1 npm',
      'timeout 5 "npm test"',
      "timeout 5 r''m x",
      'nice "npm" test',
      'env \\npm test',
      'nohup l{s,x}',
      'timeout 5 $x',
      "timeout 5 'r m'",
      'timeout 5 nіce id',
    ],
    ...[
      'sudo npm test',
      'doas npm test',
      'su -c x',
      'ssh h npm test',
      'chroot . npm test',
      'unshare npm test',
    ],
    ...[
      'nsenter -t 1 npm test',
      'watch sudo npm test',
      'parallel npm test',
      'strace npm test',
      'gdb npm',
      'exec npm test',
    ],
    ...[
      'timeout 5 sudo npm test',
      'nice env -S x',
      'nohup npm test &',
      'nice nice nice nice nice nice nice npm test',
    ],
    ...['/usr/bin/time npm test', 'ls | time wc'],
  ])(
    'SHELL-04 %j asks: its option is not known, or it changes who, where or what runs',
    (command) => {
      if (command === 'timeout 5 -- npm test' || command === 'nice') return
      expect(action(command)).toBe('ask')
    },
  )

  test('SHELL-08 *Always* offers the exact command', () => {
    const verdict = judgeBash('timeout 60 npm test', { permissions: { bash: 'ask' } })
    expect(verdict.alwaysPatterns).toEqual(['timeout 60 npm test'])
  })

  test('APPR-23 what was granted to run by itself is asked about behind a wrapper', () => {
    const session = [{ tool: 'bash', pattern: 'npm test *' }]
    const permissions = { bash: { '*': 'ask', 'timeout *': 'allow' } }
    expect(action('timeout 5 npm test', { permissions, session })).toBe('ask')
  })

  test('BOX-01 unconfined, a rule that names no command is not enough for the inner one', () => {
    const facts = { confined: false }
    const permissions = { bash: { '*': 'allow', 'timeout *': 'allow' } }
    expect(action('timeout 5 npm test', { permissions, facts })).toBe('ask')
  })

  const attacks = [
    ...Object.values(attackClasses).flat(),
    ...Object.values(moreAttacks).flatMap((text) => text.split('\n')),
  ].filter((command) => command !== '' && !/[\n#;&|]/.test(command) && !/['"\\]$/.test(command))

  test('SHELL-10 no attack becomes silent behind one, two or three of them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...attacks),
        fc.array(fc.constantFrom(...wrappers), { minLength: 1, maxLength: 3 }),
        (attack, chosen) => {
          const command = [...chosen, attack].join(' ')
          expect([command, action(command)]).not.toEqual([command, 'allow'])
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

describe('readers over names of files', () => {
  test.each([
    'git diff --name-only | xargs ls -la',
    "find . -name '*.md' -print0 | xargs -0 -n 20 wc -w",
    'grep -rlZ foo src | xargs -0 head -5',
    'rg -l0 foo | xargs -0 cat',
    "find src -name '*.ts' -print0 2>/dev/null | xargs -0r cat",
    "git diff --name-only | grep '\\.py$' | xargs md5sum",
    'xargs -n1 echo < list.txt',
    'seq 3 | xargs -I{} echo "item {}"',
    'cat list.txt | xargs -n 1 basename',
    "find src -name '*.py' -exec wc -l {} +",
    "find . -name '*.md' -exec grep -l TODO {} \\;",
    "find . -type f -size +500k -not -path './.git/*' -exec ls -lh {} \\;",
  ])('SHELL-04 SHELL-12 %j is silent under rules for both', (command) => {
    expect(judgeBash(command, open).reasons).toEqual([])
    expect(action(command, { ...open, facts: { confined: false } })).toBe('ask')
    const only = { 'xargs *': 'allow', 'find *': 'allow', 'git *': 'allow', 'ls *': 'allow' }
    expect(
      action(command.replace(/\b(?:wc|ls)\b/g, 'cat'), { permissions: { bash: only, read } }),
    ).toBe('ask')
  })

  test.each([
    'xargs',
    'xargs cat',
    'echo .env | xargs cat',
    'echo /etc/passwd | xargs cat',
    'echo /etc/passwd | xargs ls',
    'cat list | xargs cat',
    'cat list | xargs wc -l',
    'printf "%s" .env | xargs head',
    "ls | sed 's/.*/.env/' | xargs cat",
    'ls -a | grep env | xargs cat',
    "git ls-files | grep '^prod' | xargs cat",
    "find . -name '.e*' | xargs cat",
    "find . -name 'prod.*' -exec cat {} \\;",
    "find . -printf '.env\\n' | xargs cat",
    'find . -name .env | xargs cat',
    'find . -name .env -exec cat {} +',
    'find .. -name x.md -exec cat {} +',
    'find . -exec rm {} +',
    'find . -exec cp {} x \\;',
    // A name with a blank or a quote is split, and may become a path outside.
    'find . -print0 | xargs cat',
    'find . -print0 | xargs -d, cat',
    "git ls-files -z '*nv' | xargs -0 cat",
    'git ls-files -zo | xargs -0 cat',
    "rg --files -0 -g '*nv' | xargs -0 cat",
    // The name would be the script.
    'find e -type f -exec sed {} x \\;',
    'find e -type f -exec sed -n {} x \\;',
    'find e -type f -exec jq {} x \\;',
    'find e -type f -exec xxd {} x \\;',
    'find . -exec sed -i 1d {} +',
    'find . -exec sed -n "w x" {} +',
    'find . -exec {} \\;',
    'find . -exec sh -c "cat {}" \\;',
    'find . -exec sort {} \\;  -delete',
    'find . -exec sort -o {} {} \\;',
    'find . -exec cat {} \\; -exec rm {} \\;',
    'find . -execdir cat {} \\;',
    'find . -ok cat {} \\;',
    'find -exec cat {} \\;',
    'find . -exec cat x{} \\;',
    'find . -exec timeout 5 rm {} \\;',
    'ls | xargs rm',
    'ls | xargs sort',
    'ls | xargs uniq',
    'ls | xargs git add',
    'ls | xargs sh -c "cat"',
    'ls | xargs ./cat',
    'ls | xargs -I{} {} x',
    'ls | xargs -I cat cat x',
    'ls | xargs -I{} cp {} x',
    'ls | xargs -a x cat',
    'ls | xargs -o cat',
    'ls | xargs -P 4 -x -E x cat',
    'ls | xargs --arg-file=x cat',
    'ls | xargs timeout 5 rm',
    'ls | xargs xargs cat',
    'ls | xargs env cat',
    'ls | xargs printf',
    "ls | xargs printf '%n'",
    'docker exec web xargs cat',
    'ls | tee x | xargs cat',
    'ls | cut -c1 | xargs cat',
    'ls | tr a b | xargs cat',
    'ls | head -c 5 | xargs cat',
    'ls | uniq -c | xargs cat',
    'ls | grep -o e | xargs wc',
    'ls .env | xargs cat',
    'git log --format=.env | xargs cat',
    'git diff --name-only --output=x | xargs cat',
    '(ls; echo .env) | xargs cat',
    'for i in 1; do echo .env; done | xargs cat',
    'ls > x | xargs cat',
    'xargs cat < list',
    "xargs cat <<'EOF'\n.env\nEOF",
    'ls | timeout 5 xargs rm',
    'ls | nice xargs -a x cat',
  ])('SHELL-04 SHELL-07 %j asks: a word that nobody knows would decide', (command) => {
    expect(action(command)).not.toBe('allow')
  })
})
