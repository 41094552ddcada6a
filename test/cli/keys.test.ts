import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseVerifyKeys } from '../../src/rules/jobs/keys.ts'
import { createSigner } from '../../src/rules/jobs/sign.ts'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from './run-program.ts'

test('CLI-01 keys new makes a signing key for its owner alone, and the key that verifies it', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const { exitCode, stdout, stderr } = await runProgram(['keys', 'new', '--out', 'keys'], { cwd })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const signing = join(cwd, 'keys', 'signing-key.pem')
  const verifying = join(cwd, 'keys', 'verify-keys.pem')
  expect((await stat(signing)).mode & 0o777).toBe(0o600)
  const { kid } = createSigner(await readFile(signing, 'utf8'))
  expect([...parseVerifyKeys(await readFile(verifying, 'utf8')).keys()]).toEqual([kid])
  expect(stdout).toContain(kid)
  expect(stdout).toContain(`COUNTERSIGN_SIGNING_KEY_FILE=${signing}\n`)
  expect(stdout).toContain(`COUNTERSIGN_VERIFY_KEYS_FILE=${verifying}\n`)
  const tokenFile = join(cwd, 'keys', 'worker-token')
  expect((await stat(tokenFile)).mode & 0o777).toBe(0o600)
  const token = (await readFile(tokenFile, 'utf8')).trim()
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(stdout).toContain(`COUNTERSIGN_WORKER_TOKEN_FILE=${tokenFile}\n`)
  expect(stdout).not.toContain('PRIVATE KEY')
  expect(stdout).not.toContain(token)
})

test('PROC-04 keys new --keep makes a set once, and leaves it as it is from then on', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const args = ['keys', 'new', '--out', 'agent', '--worker-out', 'worker', '--keep']
  const first = await runProgram(args, { cwd })
  expect(first.stdout).toMatch(/^made key /)
  expect(await readdir(join(cwd, 'agent'))).toEqual(['signing-key.pem'])
  expect((await readdir(join(cwd, 'worker'))).toSorted()).toEqual([
    'verify-keys.pem',
    'worker-token',
  ])
  const files = ['agent/signing-key.pem', 'worker/verify-keys.pem', 'worker/worker-token']
  const texts = () => Promise.all(files.map((file) => readFile(join(cwd, file), 'utf8')))
  const before = await texts()
  const second = await runProgram(args, { cwd })
  expect(second).toMatchObject({ exitCode: 0, stdout: first.stdout.replace('made', 'kept') })
  expect(await texts()).toEqual(before)
  await rm(join(cwd, 'worker', 'worker-token'))
  const refused = await runProgram(args, { cwd })
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('restore it') })
  expect(await readdir(join(cwd, 'worker'))).toEqual(['verify-keys.pem'])
})

test('PROC-04 keys new --keep goes on where it was killed: a set without its signing key is put aside and made anew', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  const args = ['keys', 'new', '--keep']
  await writeFile(join(cwd, 'verify-keys.pem'), 'of a run that was killed')
  const made = await runProgram(args, { cwd })
  expect(made.stdout).toMatch(/^made key /)
  const names = await readdir(cwd)
  expect(names).toEqual(
    expect.arrayContaining(['signing-key.pem', 'verify-keys.pem', 'worker-token']),
  )
  const aside = names.find((name) => name.startsWith('verify-keys.pem.aside-')) ?? 'none'
  expect(await readFile(join(cwd, aside), 'utf8')).toBe('of a run that was killed')
  expect((await runProgram(args, { cwd })).stdout).toBe(made.stdout.replace('made', 'kept'))
})

test.each(['signing-key.pem', 'verify-keys.pem', 'worker-token'])(
  'CLI-01 keys new leaves everything as it is when %s is there',
  async (name) => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    await writeFile(join(cwd, name), 'mine')
    const { exitCode, stderr } = await runProgram(['keys', 'new'], { cwd })
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^error: .+ is there already, .+\n$/)
    expect(await readdir(cwd)).toEqual([name])
    expect(await readFile(join(cwd, name), 'utf8')).toBe('mine')
  },
)

test('CLI-01 keys new does not write through a link that points nowhere', async () => {
  await using directory = await temporaryDirectory()
  const cwd = directory.path
  await symlink(join(cwd, 'elsewhere'), join(cwd, 'verify-keys.pem'))
  expect((await runProgram(['keys', 'new'], { cwd })).exitCode).toBe(1)
  expect(await readdir(cwd)).toEqual(['verify-keys.pem'])
})
