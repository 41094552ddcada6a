import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from '../run-program.ts'

const passed = Array.from({ length: 100 }, (_, at) => `test t${at} ... ok`)
const raw = [
  'running 101 tests',
  ...passed,
  'test bad ... FAILED',
  '',
  'test result: FAILED. 100 passed; 1 failed',
  '',
].join('\n')

async function filter(args: readonly string[], input: string, toml?: string) {
  await using directory = await temporaryDirectory()
  if (toml !== undefined) await writeFile(join(directory.path, 'filters.toml'), toml)
  return await runProgram(['output', 'filter', ...args], { cwd: directory.path, input })
}

describe('countersign output filter', () => {
  test('OUT-04 OUT-06 prints what a model would see, and statistics on standard error', async () => {
    const args = ['--command', 'cd x && cargo test 2>&1', '--exit-code', '101']
    const { exitCode, stdout, stderr } = await filter(args, `\u001b[31m${raw}`)
    expect(exitCode).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'running 101 tests',
      'test bad ... FAILED',
      '',
      'test result: FAILED. 100 passed; 1 failed',
      '',
    ])
    expect(stderr).toContain('[shell] 104 lines -> 4 lines, 96.2% filtered')
    expect(stderr).toContain('filter cargo-test: full')
  })

  test('OUT-01 OUT-08 what no filter is for is sanitised and redacted all the same', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const { stdout, stderr } = await filter(['--command', 'cat x'], `\u001b[1mkey ${token}\n`)
    expect(stdout).toBe('key [redacted:github-token]\n')
    expect(stderr).toContain('no filter is for this command')
  })

  test('OUT-02 OUT-07 filters.toml beside the configuration is used, and what is wrong with it told', async () => {
    const toml = [
      '[[rules]]',
      'name = "cargo-test"',
      'enabled = false',
      '[[rules]]',
      'name = "wrong"',
      `match = { regex = "${'a'.repeat(513)}" }`,
      'strategy = { type = "dedup" }',
    ].join('\n')
    const { stdout, stderr } = await filter(['--command', 'cargo test'], raw, toml)
    expect(stdout).toBe(raw)
    expect(stderr).toMatch(/filters\.toml: rule "wrong" was skipped: .*at most 512 characters/)
  })

  test('CLI-01 a command is needed, and an exit code is a number', async () => {
    expect((await filter([], raw)).exitCode).toBe(2)
    expect((await filter(['--command', 'x', '--exit-code', 'many'], raw)).exitCode).toBe(2)
  })
})
