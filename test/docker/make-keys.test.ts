import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { workerToken } from '../../src/rules/jobs/enrolment.ts'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'
import { compileCache } from '../support/compile-cache.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

test('PROC-04 THREAT-5 make-keys token changes secret and token together; killed in between, and when the worker is renamed, the next run mends it', async () => {
  await using directory = await temporaryDirectory()
  const keys = await createKeys(directory.path)
  await keys.make()
  const first = await keys.read('agent/enrolment-secret')
  expect(await keys.read('worker/worker-token')).toBe(workerToken(first, 'default'))

  await keys.make('token')
  const second = await keys.read('agent/enrolment-secret')
  expect(second).toMatch(/^[0-9a-f]{64}$/)
  expect(second).not.toBe(first)
  expect(await keys.read('worker/worker-token')).toBe(workerToken(second, 'default'))

  await keys.write('agent/enrolment-secret', first)
  await keys.make()
  expect(await keys.read('agent/enrolment-secret')).toBe(first)
  expect(await keys.read('worker/worker-token')).toBe(workerToken(first, 'default'))

  await writeFile(join(directory.path, 'countersign.toml'), '[worker]\nname = "build"\n')
  const signing = await keys.read('agent/signing-key.pem')
  await keys.make()
  expect(await keys.read('worker/worker-token')).toBe(workerToken(first, 'build'))
  expect(await keys.read('agent/signing-key.pem')).toBe(signing)
})

/** The script of the image, over a directory in place of its volumes. */
async function createKeys(cwd: string) {
  const [text, dockerfile] = await Promise.all(
    ['docker/make-keys', 'Dockerfile'].map((name) => readFile(join(root, name), 'utf8')),
  )
  for (const [place] of (dockerfile ?? '').matchAll(/\/keys\/\w+/g)) {
    await mkdir(join(cwd, place), { recursive: true })
  }
  const script = join(cwd, 'make-keys')
  await writeFile(script, (text ?? '').replaceAll('/keys', join(cwd, 'keys')))
  const program = join(cwd, 'countersign')
  await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${root}/src/main.ts "$@"\n`)
  await chmod(program, 0o700)
  const env = { ...compileCache, PATH: `${cwd}:/usr/bin:/bin`, HOME: cwd }
  const at = (name: string) => join(cwd, 'keys', name)
  return {
    make: (...args: readonly string[]) => run('sh', [script, ...args], { cwd, env }),
    read: async (name: string) => (await readFile(at(name), 'utf8')).trim(),
    write: async (name: string, content: string) => {
      await chmod(at(name), 0o600)
      await writeFile(at(name), content)
    },
  }
}
