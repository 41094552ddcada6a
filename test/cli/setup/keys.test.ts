import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { workerToken } from '../../../src/rules/jobs/enrolment.ts'
import { parseVerifyKeys } from '../../../src/rules/jobs/keys.ts'
import { createSigner } from '../../../src/rules/jobs/sign.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from '../run-program.ts'

const ofAgents = ['enrolment-secret', 'signing-key.pem']
const ofWorkers = ['verify-keys.pem', 'worker-token']
const names = [...ofAgents, ...ofWorkers]

describe('keys new', () => {
  test('CLI-01 DECISION-13 THREAT-5 makes keys and secrets for their owners alone, and prints none', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    const { exitCode, stdout, stderr } = await runProgram(['keys', 'new', '--out', 'keys'], { cwd })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const file = (name: string) => join(cwd, 'keys', name)
    const read = async (name: string) => (await readFile(file(name), 'utf8')).trim()
    const { kid } = createSigner(await read('signing-key.pem'))
    expect([...parseVerifyKeys(await read('verify-keys.pem')).keys()]).toEqual([kid])
    expect(stdout).toContain(kid)
    expect(stdout).toContain(`COUNTERSIGN_SIGNING_KEY_FILE=${file('signing-key.pem')}\n`)
    expect(stdout).toContain(`COUNTERSIGN_ENROLMENT_SECRET_FILE=${file('enrolment-secret')}\n`)
    expect(stdout).toContain(`COUNTERSIGN_VERIFY_KEYS_FILE=${file('verify-keys.pem')}\n`)
    expect(stdout).toContain(`COUNTERSIGN_WORKER_TOKEN_FILE=${file('worker-token')}\n`)
    for (const name of ['signing-key.pem', 'enrolment-secret', 'worker-token']) {
      expect((await stat(file(name))).mode & 0o777, name).toBe(0o600)
    }
    const secret = await read('enrolment-secret')
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(await read('worker-token')).toBe(workerToken(secret, 'default'))
    expect(stdout).not.toMatch(/PRIVATE KEY/)
    expect(stdout).not.toContain(secret)
    expect(stdout).not.toContain(workerToken(secret, 'default'))
  })

  test('CLI-01 THREAT-5 makes the token of the worker that is named, else of the configured one', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    const environment = { COUNTERSIGN_WORKER_NAME: 'configured' }
    const tokenIn = async (out: string, ...more: readonly string[]) => {
      await runProgram(['keys', 'new', '--out', out, ...more], { cwd, environment })
      const read = async (name: string) => (await readFile(join(cwd, out, name), 'utf8')).trim()
      return { secret: await read('enrolment-secret'), token: await read('worker-token') }
    }
    const [named, configured] = [await tokenIn('a', '--worker', 'build'), await tokenIn('b')]
    expect(named.token).toBe(workerToken(named.secret, 'build'))
    expect(configured.token).toBe(workerToken(configured.secret, 'configured'))
    expect(named.secret).not.toBe(configured.secret)
    const wrong = await runProgram(['keys', 'new', '--worker', 'No Name'], { cwd })
    expect(wrong).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('"No Name" names no worker'),
    })
    expect((await readdir(cwd)).toSorted()).toEqual(['a', 'b'])
  })

  test.each(names)('CLI-01 leaves everything as it is when %s is there', async (name) => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    await writeFile(join(cwd, name), 'mine')
    const { exitCode, stderr } = await runProgram(['keys', 'new'], { cwd })
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^error\[FILE_EXISTS\]: .+ is there already, .+\n$/)
    expect(await readdir(cwd)).toEqual([name])
    expect(await readFile(join(cwd, name), 'utf8')).toBe('mine')
  })

  test('CLI-01 does not write through a link that points nowhere', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    await symlink(join(cwd, 'elsewhere'), join(cwd, 'worker-token'))
    expect((await runProgram(['keys', 'new'], { cwd })).exitCode).toBe(1)
    expect(await readdir(cwd)).toEqual(['worker-token'])
  })
})

describe('keys new --keep', () => {
  const args = ['keys', 'new', '--out', 'agent', '--worker-out', 'worker', '--keep']

  test('PROC-04 makes a set once, and leaves it as it is from then on', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    const first = await runProgram(args, { cwd })
    expect(first.stdout).toMatch(/^made key /)
    expect((await readdir(join(cwd, 'agent'))).toSorted()).toEqual(ofAgents)
    expect((await readdir(join(cwd, 'worker'))).toSorted()).toEqual(ofWorkers)
    const before = await textsOf(cwd)
    const second = await runProgram(args, { cwd })
    expect(second).toMatchObject({ exitCode: 0, stdout: first.stdout.replace('made', 'kept') })
    expect(await textsOf(cwd)).toEqual(before)
  })

  test('PROC-04 makes nothing anew when the file that verifies has gone from a set: it is not to be had again', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    await runProgram(args, { cwd })
    await rm(join(cwd, 'worker/verify-keys.pem'))
    const before = await textsOf(cwd)
    const refused = await runProgram(args, { cwd })
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('restore it') })
    expect(refused.stderr).toContain('worker/verify-keys.pem is not there')
    expect(refused.stderr).not.toMatch(/remove|anew/)
    expect(await textsOf(cwd)).toEqual(before)
  })

  test.each([
    ['its secret', ['agent/enrolment-secret']],
    ['its token', ['worker/worker-token']],
    ['both', ['agent/enrolment-secret', 'worker/worker-token']],
  ])(
    'PROC-04 THREAT-5 of a set without %s the key stays, and what enrols is made',
    async (_what, gone) => {
      await using directory = await temporaryDirectory()
      const cwd = directory.path
      const made = await runProgram(args, { cwd })
      const text = async (name: string) => (await readFile(join(cwd, name), 'utf8')).trim()
      const lasting = ['agent/signing-key.pem', 'worker/verify-keys.pem']
      const before = await Promise.all(lasting.map(text))
      const secret = await text('agent/enrolment-secret')
      for (const name of gone) await rm(join(cwd, name))
      const kept = await runProgram(args, { cwd })
      expect(kept).toEqual({ ...made, stdout: made.stdout.replace('made', 'kept') })
      expect(await Promise.all(lasting.map(text))).toEqual(before)
      const now = await text('agent/enrolment-secret')
      expect(now).toMatch(/^[0-9a-f]{64}$/)
      expect(now === secret).toBe(!gone.includes('agent/enrolment-secret'))
      expect(await text('worker/worker-token')).toBe(workerToken(now, 'default'))
      for (const name of ['agent/enrolment-secret', 'worker/worker-token']) {
        expect((await stat(join(cwd, name))).mode & 0o777, name).toBe(0o600)
      }
    },
  )

  test.each([1, 2, 3, 4])(
    'PROC-04 REL-01 killed as it writes file %i of a set, it leaves none of them empty, and the next run makes it',
    async (nth) => {
      await using directory = await temporaryDirectory()
      const cwd = directory.path
      const environment = { NODE_OPTIONS: `--import=data:text/javascript,${killAtWrite(nth)}` }
      const killed = await runProgram(args, { cwd, environment })
      expect(killed).toMatchObject({ exitCode: null, stdout: '' })
      expect(await readdir(join(cwd, 'agent'))).not.toContain('signing-key.pem')
      const made = await runProgram(args, { cwd })
      expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^made key /) })
    },
  )

  test('PROC-04 THREAT-5 says so when the token of a set is another worker’s', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    await runProgram(args, { cwd })
    const before = await textsOf(cwd)
    const refused = await runProgram([...args, '--worker', 'build'], { cwd })
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain('put there what countersign keys token build prints')
    expect(await textsOf(cwd)).toEqual(before)
  })

  test.each(['verify-keys.pem', 'enrolment-secret', 'worker-token'])(
    'PROC-04 goes on where it was killed: without its signing key, %s is put aside and all is made anew',
    async (name) => {
      await using directory = await temporaryDirectory()
      const cwd = directory.path
      await writeFile(join(cwd, name), 'of a run that was killed')
      const made = await runProgram(['keys', 'new', '--keep'], { cwd })
      expect(made.stdout).toMatch(/^made key /)
      const there = await readdir(cwd)
      expect(there).toEqual(expect.arrayContaining(names))
      const aside = there.find((one) => one.startsWith(`${name}.aside-`)) ?? 'none'
      expect(await readFile(join(cwd, aside), 'utf8')).toBe('of a run that was killed')
      const kept = await runProgram(['keys', 'new', '--keep'], { cwd })
      expect(kept.stdout).toBe(made.stdout.replace('made', 'kept'))
    },
  )
})

describe('keys token', () => {
  const secret = 'the-secret-that-tokens-are-made-from'
  const given = { COUNTERSIGN_ENROLMENT_SECRET: secret, COUNTERSIGN_WORKER_NAME: 'configured' }

  test('CLI-01 THREAT-5 prints the token of the worker that is named, and nothing else', async () => {
    await using directory = await temporaryDirectory()
    const cwd = directory.path
    const named = await runProgram(['keys', 'token', 'build'], { cwd, environment: given })
    expect(named).toEqual({ exitCode: 0, stdout: `${workerToken(secret, 'build')}\n`, stderr: '' })
    const configured = await runProgram(['keys', 'token'], { cwd, environment: given })
    expect(configured.stdout).toBe(`${workerToken(secret, 'configured')}\n`)
    await writeFile(join(cwd, 'secret'), `${secret}\n`)
    const environment = { COUNTERSIGN_ENROLMENT_SECRET_FILE: 'secret' }
    expect((await runProgram(['keys', 'token', 'build'], { cwd, environment })).stdout).toBe(
      named.stdout,
    )
    expect(await readdir(cwd)).toEqual(['secret'])
  })

  test.each([
    ['without a secret', 'build', {}, 'COUNTERSIGN_ENROLMENT_SECRET is not set'],
    [
      'with a secret that could be guessed',
      'build',
      { COUNTERSIGN_ENROLMENT_SECRET: 'x'.repeat(31) },
      'COUNTERSIGN_ENROLMENT_SECRET is shorter than 32',
    ],
    ['for a name with a line break', 'a\nb', given, '"a\\nb" names no worker'],
    ['for a name in capitals', 'Build', given, '"Build" names no worker'],
    ['for an empty name', '', given, '"" names no worker'],
  ])('CLI-01 THREAT-5 prints nothing %s', async (_when, name, environment, why) => {
    await using directory = await temporaryDirectory()
    const { path: cwd } = directory
    const ended = await runProgram(['keys', 'token', name], { cwd, environment })
    expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(why) })
    expect(ended.stderr).not.toContain('xxxx')
  })
})

/** Module that kills its process when it writes the nth file, which is then open and empty. */
function killAtWrite(nth: number): string {
  return encodeURIComponent(`
    import { open } from 'node:fs/promises'
    const handle = await open('/dev/null')
    const files = Object.getPrototypeOf(handle)
    await handle.close()
    const write = files.writeFile
    let count = 0
    files.writeFile = function (...given) {
      count += 1
      if (count === ${nth}) process.kill(process.pid, 'SIGKILL')
      return write.apply(this, given)
    }`)
}

/** Returns every file of a set by path. */
async function textsOf(cwd: string): Promise<readonly (readonly [string, string])[]> {
  const files = await readdir(cwd, { recursive: true, withFileTypes: true })
  const paths = files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
  return Promise.all(
    paths.toSorted().map(async (path) => [path, await readFile(path, 'utf8')] as const),
  )
}
