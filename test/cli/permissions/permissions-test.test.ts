import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from '../run-program.ts'

async function tryRules(text: string) {
  await using directory = await temporaryDirectory()
  await writeFile(join(directory.path, 'rules.jsonc'), text)
  return await runProgram(['permissions', 'test', 'rules.jsonc'], { cwd: directory.path })
}

test('APPR-21 CLI-01 permissions test tries every example of a file, and exits with 1 when one does not hold', async () => {
  const text = `{
  "bash": {
    // match: git push origin main
    "git push *": "allow", // no match: git status
    "bahs *": "deny"
  },
  // allow: x
  "raed": "ask"
}`
  expect(await tryRules(text)).toEqual({
    exitCode: 1,
    stderr: '',
    stdout: `ok    3: match: git push origin main
ok    4: no match: git status
fail  7: "x": nothing can be tried with "raed"
warn  8: there is no tool "raed"; the nearest is read
3 examples, 1 wrong
`,
  })
})

test('APPR-21 GATE-09 CLI-01 permissions test: 0 when all hold, 1 for damaged rules, 2 for no file; of no file those that count', async () => {
  expect(await tryRules('{ "read": "allow" // allow: a\n}')).toMatchObject({
    exitCode: 0,
    stdout: 'ok    1: allow: a\n1 examples, 0 wrong\n',
  })
  expect(await tryRules('{\n"read": "yes"}')).toMatchObject({
    exitCode: 1,
    stdout: 'fail  2: "yes" is not an action: write "allow", "ask" or "deny"\ndamaged\n',
  })
  await using directory = await temporaryDirectory()
  const run = { cwd: directory.path }
  expect(await runProgram(['permissions', 'test', 'nothing'], run)).toMatchObject({ exitCode: 2 })
  expect(await runProgram(['permissions', 'test'], run)).toMatchObject({
    exitCode: 0,
    stdout: '0 examples, 0 wrong\n',
  })
})
