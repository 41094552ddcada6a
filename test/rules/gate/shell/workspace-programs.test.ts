import { expect, test } from 'vitest'
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
]

const unnamed = [
  'git status',
  '/usr/bin/env true',
  'bash -c "echo hi"',
  'cat deploy.sh',
  '../outside.sh',
  './',
  'make test',
]

test.each(named)('APPR-24 %s runs files of the workspace', (command, programs) => {
  expect(judgeBash(command).programs).toEqual(programs)
})

test.each(unnamed)('APPR-24 %s names no file of the workspace that it runs', (command) => {
  expect(judgeBash(command).programs).toBeUndefined()
})

test('APPR-24 not more files are named than a job takes', () => {
  const command = Array.from({ length: 40 }, (_, at) => `./p${at}`).join('; ')
  expect(judgeBash(command).programs).toHaveLength(16)
})
