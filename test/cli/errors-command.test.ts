import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorEntries, errorReference } from '../../src/cli/error-reference.ts'
import { errorCodes } from '../../src/domain/error-codes.ts'
import { runProgram } from './run-program.ts'

const root = join(import.meta.dirname, '../..')

test('DOC-03 docs/reference/errors.md is in step with the tables of codes', () => {
  expect(readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')).toBe(errorReference())
})

test('DOC-03 every code is used, and each says what it means and what to do', () => {
  const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('error-codes.ts'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
    .join('\n')
  const unused = Object.keys(errorCodes).filter((code) => !new RegExp(`\\b${code}\\b`).test(source))
  expect(unused).toEqual([])
  for (const [, { meaning, remedy }] of errorEntries()) {
    expect(meaning).toMatch(/^[A-Z\u0060].*\.$/)
    expect(remedy).toMatch(/^[A-Z\u0060].*\.$/)
  }
})

test('DOC-03 countersign errors explains a code, as it is printed too, and lists all', async () => {
  const one = await runProgram(['errors', 'error[config_invalid]:'], { cwd: root })
  expect(one).toMatchObject({ exitCode: 0, stderr: '' })
  expect(one.stdout).toMatch(/^CONFIG_INVALID \(exit code 2\)\n {2}.+\n {2}→ Correct .+\n$/)
  const all = await runProgram(['errors'], { cwd: root })
  for (const code of Object.keys(errorCodes)) expect(all.stdout).toContain(code)
  expect(await runProgram(['errors', 'NOPE'], { cwd: root })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^error\[UNKNOWN_NAME\]: there is no code "NOPE": .+\n$/),
  })
  expect((await runProgram(['errors', '--markdwn'], { cwd: root })).stderr).toMatch(
    /^error\[USAGE\]: unknown opt/,
  )
})
