import { execFile } from 'node:child_process'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { workerToken } from '../../src/rules/jobs/enrolment.ts'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'
import { compileCache } from '../support/database/compile-cache.ts'
import { mainProgram } from '../support/run/programs.ts'

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

test('PROC-04 THREAT-5 volumes of an earlier version, without a secret of enrolment, keep their keys and get one', async () => {
  await using directory = await temporaryDirectory()
  const keys = await createKeys(directory.path)
  await keys.make()
  const lasting = ['agent/signing-key.pem', 'worker/verify-keys.pem', 'app/url']
  const before = await Promise.all(lasting.map(keys.read))
  await keys.remove('agent/enrolment-secret')
  await keys.write('worker/worker-token', 'what all workers had')
  await keys.make()
  const secret = await keys.read('agent/enrolment-secret')
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(await keys.read('worker/worker-token')).toBe(workerToken(secret, 'default'))
  expect(await Promise.all(lasting.map(keys.read))).toEqual(before)
})

test('PROC-04 REL-01 a secret that was made and not put in its place when make-keys was killed stands in nobody’s way', async () => {
  await using directory = await temporaryDirectory()
  const keys = await createKeys(directory.path)
  await keys.make()
  // It can be neither written nor, by whoever may all the same, written through.
  await keys.write('elsewhere', 'as it was')
  for (const name of ['worker/worker-token.new', 'redis/url.new', 'agent/enrolment-secret.new']) {
    await keys.linkTo('elsewhere', name)
  }
  await keys.make('token')
  await keys.make('redis')
  expect(await keys.read('elsewhere')).toBe('as it was')
  const secret = await keys.read('agent/enrolment-secret')
  expect(await keys.read('worker/worker-token')).toBe(workerToken(secret, 'default'))
})

test('PROC-04 a mistake in the configuration leaves a whole set as it is; what cannot be made with it is refused', async () => {
  await using directory = await temporaryDirectory()
  const keys = await createKeys(directory.path)
  const file = join(directory.path, 'countersign.toml')
  await writeFile(file, '[worker]\nnam = "build"\n')
  await expect(keys.make()).rejects.toMatchObject({ code: 2 })
  await writeFile(file, '')
  await keys.make()
  const names = ['agent/signing-key.pem', 'agent/enrolment-secret', 'worker/worker-token']
  const before = await Promise.all(names.map(keys.read))
  await writeFile(file, '[worker]\nnam = "build"\n')
  const { stderr } = await keys.make()
  expect(stderr).toContain('nam')
  expect(stderr).toContain('make-keys: the configuration is not valid')
  expect(await Promise.all(names.map(keys.read))).toEqual(before)
  await expect(keys.make('token')).rejects.toMatchObject({ code: 2 })
  expect(await keys.read('worker/worker-token')).toBe(before[2])
  await keys.remove('worker/worker-token')
  await expect(keys.make()).rejects.toMatchObject({ code: 2 })
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
  await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${mainProgram} "$@"\n`)
  await chmod(program, 0o700)
  const env = { ...compileCache, PATH: `${cwd}:/usr/bin:/bin`, HOME: cwd }
  const at = (name: string) => join(cwd, 'keys', name)
  return {
    make: (...args: readonly string[]) => run('sh', [script, ...args], { cwd, env }),
    read: async (name: string) => (await readFile(at(name), 'utf8')).trim(),
    /** Whatever its rights are. */
    write: async (name: string, content: string) => {
      await rm(at(name), { force: true })
      await writeFile(at(name), content, { mode: 0o400 })
    },
    remove: (name: string) => rm(at(name)),
    linkTo: (name: string, as: string) => link(at(name), at(as)),
  }
}
