import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { reviewing, reviewSettings } from '../../support/reviewer.ts'
import { runProgram } from '../run-program.ts'

const slow = reviewSettings({ PROVIDER: 'slow' })

test.each([
  ['the offline model', reviewing, 'the offline model cannot review calls'],
  ['a model that nobody configured', slow, '“slow” names none of the models'],
])('POL-05 CONF-02 start refuses to have calls reviewed by %s', async (_, environment, why) => {
  await using directory = await temporaryDirectory()
  const ended = await runProgram(['start'], { cwd: directory.path, environment })
  expect(ended.exitCode).toBe(2)
  expect(ended.stderr).toContain(`[tools.adversarial_policy]`)
  expect(ended.stderr).toContain(why)
  expect(await readdir(directory.path)).toEqual([])
})

test('POL-05 CLI-01 doctor fails for a reviewer that is not there', async () => {
  await using directory = await temporaryDirectory()
  const environment = { ...slow, COUNTERSIGN_SANDBOX_DRIVER: 'process' }
  const { exitCode, stdout } = await runProgram(['doctor'], { cwd: directory.path, environment })
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^fail {2}reviewing model: .*“slow” names none.* → name a model/m)
})

test('POL-05 APPR-12 gate explain mentions the review of a call without asking the reviewer', async () => {
  await using directory = await temporaryDirectory()
  const models = { fast: { provider: 'ollama', name: 'small' } }
  const environment = {
    ...reviewSettings({ PROVIDER: 'fast' }),
    COUNTERSIGN_MODELS: JSON.stringify(models),
    // Nothing listens there, so a request would fail.
    OLLAMA_BASE_URL: 'http://127.0.0.1:9',
  }
  const explain = ['gate', 'explain', '--tool', 'list_directory', '--path', '.']
  const { exitCode, stdout } = await runProgram(explain, { cwd: directory.path, environment })
  expect({ exitCode, stdout }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/adversarial.*a second model reviews it first/s),
  })
})
