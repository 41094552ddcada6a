import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { knownPrograms } from '../../../../src/rules/gate/shell/grants/arity.ts'
import { runsByName, wideHeads } from '../../../../src/rules/gate/shell/grants/wide-command.ts'
import { judgeBash } from '../support/judge-with.ts'
import { alwaysExact, worstCalls } from './worst-calls.ts'
import '../../../support/run/fuzz-seed.ts'

const permissions = { '*': 'ask', read: 'allow', write: 'allow' }
const named = runsByName.map((name) => `${name} build`)
const heads = [...wideHeads.keys(), ...named]
const byProgram = Map.groupBy(heads, (head) => head.split(' ')[0] ?? '')

/** Every pattern that could be offered for a program, and wider ones, as earlier versions offered them. */
function grantsFor(program: string) {
  const own = byProgram.get(program) ?? []
  const wider = own.map((head) => head.split(' ').slice(0, -1).join(' ')).filter(Boolean)
  const patterns = [...new Set([...own, ...wider, program])].map((head) => `${head} *`)
  return patterns.map((pattern) => ({ tool: 'bash', pattern, beats: [] }))
}

const under = (command: string, program: string) =>
  judgeBash(command, { permissions, session: grantsFor(program) }).action

describe('patterns that stand for many commands', () => {
  test('SHELL-10 each program with a subcommand has its worst calls beside it', () => {
    const withSubs = [...byProgram].flatMap(([program, own]) =>
      own.some((head) => head.includes(' ')) ? [program] : [],
    )
    expect(withSubs.filter((program) => (worstCalls[program] ?? []).length === 0)).toEqual([])
  })

  test.each(Object.entries(worstCalls))(
    'SHELL-10 no pattern for %s lets through %j',
    (program, calls) => {
      expect(calls.filter((call) => under(call, program) !== 'ask')).toEqual([])
    },
  )

  test.each(alwaysExact)(
    'SHELL-08 SHELL-10 %j is granted exactly, and no pattern stands for it',
    (command) => {
      const program = command.split(' ')[0] ?? ''
      for (const pattern of judgeBash(command).alwaysPatterns)
        expect(pattern).not.toMatch(/(?<!\\)\*$/)
      expect(under(command, program)).not.toBe('allow')
    },
  )

  test('SHELL-08 whatever a program does that is not listed is granted exactly', () => {
    const word = fc.stringMatching(/^[a-z][a-z-]{2,8}$/)
    fc.assert(
      fc.property(fc.constantFrom(...knownPrograms), word, word, word, (program, ...words) => {
        fc.pre(byProgram.get(program)?.includes(program) !== true && !runsByName.includes(program))
        const isListed = heads.some((head) =>
          `${program} ${words.join(' ')} `.startsWith(`${head} `),
        )
        fc.pre(!isListed && !(program === 'aws' || runsByName.includes(`${program} ${words[0]}`)))
        for (const pattern of judgeBash([program, ...words].join(' ')).alwaysPatterns)
          expect(pattern).not.toMatch(/(?<!\\)\*$/)
      }),
      { numRuns: 500 },
    )
  })

  test('SHELL-10 an option that decides, wherever and however it stands, keeps a command from a pattern', () => {
    const changing = heads.filter(
      (head) => wideHeads.get(head) !== 'reads' && !/^(?:mkdir|touch)$/.test(head),
    )
    const option = fc.constantFrom(
      ...[
        '--force',
        '--forc',
        '--delete',
        '--del',
        '--purge',
        '--yes',
        '--hard',
        '--prune=all',
        '--overwrite',
        '--dry-run',
      ],
      ...[
        '--help',
        '-h',
        '--config=x',
        '--output',
        '--exec=x',
        '--force-with-lease',
        '--fix',
        '-force',
        '-auto-approve',
      ],
    )
    const place = fc.nat({ max: 3 })
    fc.assert(
      fc.property(
        fc.constantFrom(...changing),
        option,
        place,
        fc.boolean(),
        (head, given, at, ends) => {
          const words = ['a', ...(ends ? ['--'] : []), 'b'].toSpliced(at, 0, given)
          const command = `${head} ${words.join(' ')}`
          expect(under(command, head.split(' ')[0] ?? '')).not.toBe('allow')
        },
      ),
      { numRuns: 500 },
    )
  })

  test('SHELL-10 a pattern stands for what it was offered for, and for no other kind', () => {
    const reading = heads.filter((head) => wideHeads.get(head) === 'reads' && head.includes(' '))
    for (const other of heads) {
      const beside = reading.filter(
        (head) =>
          other.startsWith(`${head.split(' ').slice(0, -1).join(' ')} `) &&
          !`${other} `.startsWith(`${head} `),
      )
      if (beside.length === 0) continue
      const session = beside.map((head) => ({ tool: 'bash', pattern: `${head} *`, beats: [] }))
      const { action } = judgeBash(`${other} x`, { permissions, session })
      expect([other, beside, action]).toEqual([other, beside, 'ask'])
    }
  })

  test.each([
    ['a word that holds a blank', 'git "push origin" main'],
    ['a variable before it', 'GIT_DIR=x git push origin main'],
    ['options before it', 'git -C x push origin main'],
    ['another program', 'hub push origin main'],
    ['a program of the workspace', './git push origin main'],
    ['a second command', 'git push origin main; git push --force'],
    ['a substitution', 'git push origin $(id)'],
    ['a redirection outside', 'git push origin main > /etc/x'],
    ['a redirection into orders', 'git push origin main > .git/hooks/pre-push'],
    ['a wrapper', 'sudo git push origin main'],
  ])('SHELL-10 *Always* on a push stands for no push with %s: %j', (_, command) => {
    const session = [{ tool: 'bash', pattern: 'git push *', beats: [] }]
    expect(judgeBash('git push origin main', { permissions, session }).action).toBe('allow')
    expect(judgeBash(command, { permissions, session }).action).not.toBe('allow')
  })

  test('SHELL-09 of a command with very many words no pattern is made', () => {
    const [pattern] = judgeBash(`git add ${'a '.repeat(300)}`).alwaysPatterns
    expect(pattern).not.toMatch(/(?<!\\)\*$/)
    expect(judgeBash(`git add ${'a '.repeat(100)}`).alwaysPatterns).toEqual(['git add *'])
  })

  test('SHELL-10 words are told apart in what is granted exactly', () => {
    const session = [{ tool: 'bash', pattern: 'rm a b', beats: [] }]
    expect(judgeBash('rm a b', { permissions, session }).action).toBe('allow')
    for (const command of ['rm "a b"', 'rm a "" b', "rm a 'b '", 'rm a b c', 'rm -r a b'])
      expect(judgeBash(command, { permissions, session }).action).toBe('ask')
    const [quoted = ''] = judgeBash('rm "a b"').alwaysPatterns
    const exact = [{ tool: 'bash', pattern: quoted, beats: [] }]
    expect(judgeBash('rm "a b"', { permissions, session: exact }).action).toBe('allow')
    expect(judgeBash('rm a b', { permissions, session: exact }).action).toBe('ask')
  })

  test('SHELL-08 SHELL-12 everyday commands under a pattern that was offered for their like run silently', () => {
    const pairs: readonly (readonly [string, string])[] = [
      ['git push origin main', 'git push -u origin feature/x'],
      ['git commit -m a', 'git commit -am "fix: --force is gone"'],
      ['git add .', 'git add -A src test'],
      ['git log -3', 'git log --oneline --all --since=yesterday'],
      ['git branch -a -v', 'git branch -a --sort=-committerdate'],
      ['npm run test -- --watch', 'npm run test -- src/a.test.ts'],
      ['docker compose up -d', 'docker compose up --build web'],
      ['kubectl get pods -n a', 'kubectl get deployments --output wide -A'],
      ['pytest tests', 'pytest -x -q tests/a.py -k name'],
      ['cargo test --release', 'cargo test --all-features name'],
      ['go test ./...', 'go test -run Name -v ./pkg'],
      ['rg a src', "rg --glob '*.ts' --files-with-matches b"],
      ['grep -rn a src', 'grep --fixed-strings --include=*.ts -r b .'],
      [
        'aws ec2 describe-instances --output json',
        'aws ec2 describe-instances --region x --query y',
      ],
      ['python -m pytest -x', 'python -m pytest tests/b.py'],
      ['/usr/bin/git status -s', 'git status --porcelain'],
      ['make test -j4', 'make test -j8'],
      ['gh pr view 1', 'gh pr view 2 --json title'],
      ['tail -5 log', 'tail -f other.log'],
    ]
    const asked = pairs.filter(([first, second]) => {
      const session = judgeBash(first, { permissions }).alwaysPatterns.map((pattern) => ({
        tool: 'bash',
        pattern,
        beats: [],
      }))
      return judgeBash(second, { permissions, session }).action !== 'allow'
    })
    expect(asked).toEqual([])
  })
})
