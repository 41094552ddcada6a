import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultPermissions } from '../../../src/rules/gate/permissions/default-permissions.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from '../run-program.ts'

test('GATE-04 permissions path names the file of the configured worker, or of the one named', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const environment = { COUNTERSIGN_WORKER_NAME: 'build' }
  const configured = await runProgram(['permissions', 'path'], { cwd, environment })
  expect(configured.stdout).toBe(`${cwd}/data/workers/build/permissions.jsonc\n`)
  const named = await runProgram(['permissions', 'path', '--worker', 'other'], { cwd })
  expect(named.stdout).toBe(`${cwd}/data/workers/other/permissions.jsonc\n`)
})

test('GATE-04 permissions show prints the defaults before the first start, and makes nothing', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const { exitCode, stdout, stderr } = await runProgram(['permissions', 'show'], { cwd })
  expect(exitCode).toBe(0)
  expect(stdout).toBe(defaultPermissions)
  expect(stderr).toContain('ok: 30 rules')
  expect(stderr).toContain('these are the defaults')
  expect(await readdir(cwd)).toEqual([])
})

test('GATE-04 permissions show prints the text that counts and how many rules it holds', async () => {
  await using directory = await temporaryDirectory()
  const text = '{\n\t// mine\n\t"read": "allow",\n\t"bash": "deny"\n}\n'
  const file = await writePermissions(directory.path, text)
  const shown = await runProgram(['permissions', 'show'], { cwd: directory.path })
  expect(shown).toEqual({ exitCode: 0, stdout: text, stderr: `ok: 2 rules, ${file}\n` })
})

test('GATE-09 permissions show names each line that cannot be understood, and exits with 1', async () => {
  await using directory = await temporaryDirectory()
  const file = await writePermissions(directory.path, '{\n"read": "yes",\n"bash": "no"\n}')
  const { exitCode, stderr } = await runProgram(['permissions', 'show'], { cwd: directory.path })
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`${file}:2: "yes" is not an action`)
  expect(stderr).toContain(`${file}:3: `)
  expect(stderr).toContain('every call asks')
})

test('GATE-10 permissions show warns when the gate is switched off', async () => {
  await using directory = await temporaryDirectory()
  await writePermissions(directory.path, '{"*": "allow"}')
  const { exitCode, stderr } = await runProgram(['permissions', 'show'], { cwd: directory.path })
  expect(exitCode).toBe(0)
  expect(stderr).toContain('the gate is switched off')
})

test('CLI-01 permissions show prints no control character of the file', async () => {
  await using directory = await temporaryDirectory()
  await writePermissions(directory.path, '{\r\n// \u001b[2Jgone\u009b\u202e\r\n"*": "ask"}\r\n')
  const { stdout } = await runProgram(['permissions', 'show'], { cwd: directory.path })
  expect(stdout).toContain('␛[2Jgone')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\0-\u001f\u007f-\u009f\u202e]/)
})

async function writePermissions(cwd: string, text: string): Promise<string> {
  const file = join(cwd, 'data', 'workers', 'default', 'permissions.jsonc')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}
