import { chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { canonicalPath } from '../../../src/adapters/sandbox/box-mounts.ts'
import { findProgram } from '../../../src/adapters/sandbox/find-program.ts'
import { uidRange } from '../../../src/adapters/sandbox/process/claim-uid.ts'
import { createProcessDriver } from '../../../src/adapters/sandbox/process/process-driver.ts'
import { isReachable } from '../../../src/adapters/sandbox/reachable.ts'
import { defaultLimits } from '../../../src/adapters/sandbox/sandbox-options.ts'
import { escapeContract } from '../../contract/escapes.ts'
import { sandboxContract } from '../../contract/sandbox.ts'
import { openBox } from './fixtures/box-client.ts'
import { holdInProcess } from './fixtures/hold-in-process.ts'
import { processesWith, rareSleep, untilGone, untilRunning } from './fixtures/processes.ts'
import { makeSandboxPlace } from './fixtures/sandbox-place.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534
const canBeNobody = isRoot && isReachable(import.meta.filename) && isReachable(process.execPath)
const whenRoot = test.runIf(isRoot)
const whenLimited = test.runIf(isRoot && findProgram('prlimit') !== undefined)
const whenNobody = test.runIf(canBeNobody)

const underTest = {
  name: 'process',
  create: createProcessDriver,
  test,
  confinedTest: isRoot ? test : test.skip,
} as const
sandboxContract(underTest)
escapeContract(underTest)

test('BOX-08 INT-36 a command does not outlive a kill -9 of the product, even out of its process group', async () => {
  await using place = makeSandboxPlace()
  const word = rareSleep()
  const spec = place.spec('r1/c1')
  const leave = `exec nohup sleep ${word}`
  const hold = {
    driver: 'process' as const,
    options: place.options,
    spec,
    command: 'true',
    leave,
  }
  await using holder = await holdInProcess(hold)
  await untilRunning(word, 1)
  holder.child.kill('SIGKILL')
  await untilGone(word)
})

test('BOX-06 INT-36 processes that survived the product and its executor are found by their key and killed', async () => {
  await using place = makeSandboxPlace()
  const word = rareSleep()
  const spec = place.spec('r1/c1')
  const leave = `exec nohup sleep ${word}`
  const hold = {
    driver: 'process' as const,
    options: place.options,
    spec,
    command: 'true',
    leave,
  }
  await using holder = await holdInProcess(hold)
  await untilRunning(word, 1)
  // The whole group at once, so that the guard cannot clean up after the executor.
  process.kill(-holder.held.boxPid, 'SIGSTOP')
  holder.child.kill('SIGKILL')
  process.kill(-holder.held.boxPid, 'SIGKILL')
  expect(processesWith(word)).toHaveLength(1)
  const driver = await createProcessDriver(place.options)
  expect(await driver.sweep(`${place.prefix}r2/`)).toBe(0)
  expect(processesWith(word)).toHaveLength(1)
  expect(await driver.sweep(`${place.prefix}r1/`)).toBe(1)
  await untilGone(word)
})

test('BASH-06 BASH-10 network programs and outside paths are refused by name, as no namespace prevents them', async () => {
  await using place = makeSandboxPlace()
  const driver = await createProcessDriver(place.options)
  await using client = await openBox(driver, place.spec('r1/c1'))
  expect(await client.bash('curl -s http://127.0.0.1/')).toContain('policy_blocked')
  expect(await client.bash('cat /etc/hostname')).toContain('policy_blocked')
})

whenRoot('BOX-08 started by root, a box is a user of its own who owns the workspace', async () => {
  await using place = makeSandboxPlace()
  const driver = await createProcessDriver(place.options)
  expect(driver.confined).toBe(true)
  const spec = place.spec('r1/c1')
  writeFileSync(join(spec.workspace, 'from-before'), '')
  await using client = await openBox(driver, spec)
  const uid = Number((await client.bash('echo UID=$UID=')).split('=')[1])
  expect(uid).toBeGreaterThanOrEqual(uidRange.first)
  expect(statSync(spec.workspace).uid).toBe(uid)
  expect(await client.bash('rm from-before && id -G')).toContain(String(uid))
  await using other = await openBox(driver, place.spec('r1/c2'))
  expect(await other.bash('echo UID=$UID=')).not.toContain(String(uid))
})

whenRoot(
  'BOX-08 a workspace below a closed folder is moved, found again, and moved no more',
  async () => {
    await using place = makeSandboxPlace('closed')
    const driver = await createProcessDriver(place.options)
    const spec = place.spec('r1/c1')
    writeFileSync(join(spec.workspace, 'old'), 'old words')
    const boxPath = driver.boxWorkspace(spec.workspace)
    for (const round of [1, 2]) {
      await using client = await openBox(driver, spec)
      expect(await client.bash(`cat old; pwd; echo ${round} > new`)).toContain('old words')
      expect(driver.boxWorkspace(spec.workspace)).toBe(boxPath)
      expect(canonicalPath(spec.workspace)).toBe(boxPath)
    }
  },
)

whenRoot('BOX-08 two boxes that start at once in one closed workspace share it', async () => {
  await using place = makeSandboxPlace('closed')
  const driver = await createProcessDriver(place.options)
  const spec = place.spec('r1/c1')
  const both = await Promise.all([openBox(driver, spec), openBox(driver, { ...spec, key: 'r1/b' })])
  const [one, two] = both
  await one.bash('echo shared > file')
  expect(await two.bash('cat file')).toContain('shared')
  await one.box.kill()
  expect(await two.bash('echo alive')).toContain('alive')
  await two.box.kill()
})

whenRoot('BOX-08 somebody’s project below a closed folder is left alone and refused', async () => {
  await using place = makeSandboxPlace('closed')
  const driver = await createProcessDriver(place.options)
  const project = join(place.dir, 'data', 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'file'), '')
  const start = driver.start({ ...place.spec('r1/c1'), workspace: project })
  await expect(start).rejects.toThrow('cannot enter')
  expect(statSync(join(project, 'file')).uid).toBe(0)
})

whenRoot('BOX-08 a system folder is never given away', async () => {
  await using place = makeSandboxPlace()
  const driver = await createProcessDriver(place.options)
  for (const workspace of ['/', '/root', '/usr/local', '/etc/ssl'])
    await expect(driver.start({ ...place.spec('r1/c1'), workspace })).rejects.toThrow('cannot be')
})

whenRoot(
  'GATE-12 what is masked inside a workspace stays ours when the workspace is given away',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createProcessDriver(place.options)
    const spec = place.spec('r1/c1')
    const hidden = join(spec.workspace, '.countersign')
    mkdirSync(hidden, { mode: 0o700 })
    writeFileSync(join(hidden, 'key'), 'the-key')
    await using client = await openBox(driver, { ...spec, masked: [hidden] })
    expect(await client.script('cat .countersign/key || true')).toContain('Permission denied')
    expect(statSync(join(hidden, 'key')).uid).toBe(0)
  },
)

whenRoot('BOX-08 a command that clears its environment still ends with its box', async () => {
  await using place = makeSandboxPlace()
  const driver = await createProcessDriver(place.options)
  const word = rareSleep()
  await using client = await openBox(driver, place.spec('r1/c1'))
  await client.leave(`exec sleep ${word}`, 'env -i')
  client.box.stdin.end()
  await client.box.exited
  await untilGone(word)
})

whenLimited('BOX-04 DECISION-30 started by root, a box has a limit on processes', async () => {
  await using place = makeSandboxPlace()
  const limits = { ...defaultLimits, pids: 40 }
  const driver = await createProcessDriver({ ...place.options, limits })
  await using client = await openBox(driver, place.spec('r1/c1'))
  const bomb = 'for i in $(seq 80); do sleep 20 >/dev/null 2>&1 & done; echo all of them'
  // Not through bash, which retries for seconds.
  const said = await client.script(`sh -c '${bomb}' 2>&1; ulimit -u`)
  expect(said).toMatch(/fork|Resource temporarily unavailable/)
  expect(said).not.toContain('all of them')
  expect(said).toContain('40')
})

whenNobody('BOX-08 started by a plain user, the driver says that nothing is confined', async () => {
  await using place = makeSandboxPlace()
  const spec = place.spec('r1/c1')
  const { cacheDir, workspacesDir } = place.options
  mkdirSync(cacheDir)
  for (const dir of [cacheDir, workspacesDir, spec.workspace]) chownSync(dir, nobody, nobody)
  const hold = { driver: 'process' as const, options: place.options, spec, command: 'id -u' }
  await using holder = await holdInProcess(hold, { uid: nobody })
  expect(holder.held).toMatchObject({ confined: false, name: 'process' })
  expect(holder.held.output).toContain(String(nobody))
  expect(holder.held.warnings[0]).toContain('Countersign')
})

whenRoot(
  'GATE-12 THREAT-10 what is masked cannot be moved away, nor made where it is absent',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createProcessDriver(place.options)
    const spec = place.spec('r1/c1')
    const at = (name: string) => join(spec.workspace, name)
    const own = ['.countersign', '.countersign/keys', 'countersign.toml', 'a/b/filters.toml']
    mkdirSync(at('.countersign/keys'), { recursive: true, mode: 0o700 })
    mkdirSync(at('a/b'), { recursive: true })
    for (const name of ['.countersign/key', 'a/b/filters.toml'])
      writeFileSync(at(name), 'the-words')
    const masked = [...own.map(at), at('agents')]
    const client = await openBox(driver, { ...spec, masked })
    for (const name of [
      '.countersign',
      'countersign.toml',
      'a/b/filters.toml',
      'a/b',
      'a',
      'agents',
    ])
      await client.script(`mv ${name} moved 2>&1; rm -rf ${name} 2>&1`)
    await client.script('mkdir -p .countersign/x a/b agents/y; echo evil >> countersign.toml')
    await client.script('echo evil > a/b/filters.toml; echo own > a/b/own; mkdir made; rmdir made')
    expect(await client.script('ls .countersign 2>&1')).toContain('Permission denied')
    client.box.stdin.end()
    await client.box.exited
    await vi.waitFor(
      () => expect(readdirSync(spec.workspace).sort()).toEqual(['.countersign', 'a']),
      { timeout: 60_000, interval: 50 },
    )
    expect(readFileSync(at('a/b/filters.toml'), 'utf8')).toBe('the-words')
    expect(readdirSync(at('a/b')).sort()).toEqual(['filters.toml', 'own'])
    expect(statSync(at('.countersign')).mode & 0o777).toBe(0o700)
    expect(statSync(at('.countersign/keys')).gid).toBe(0)
    await using next = await openBox(driver, { ...spec, masked })
    expect(await next.bash('rm a/b/own && echo new > x && cat x')).toContain('new')
  },
)

whenRoot('BOX-08 a command that kills its guard does not outlive its box either', async () => {
  await using place = makeSandboxPlace()
  const driver = await createProcessDriver(place.options)
  const word = rareSleep()
  const client = await openBox(driver, place.spec('r1/c1'))
  await client.leave(`exec sleep ${word}`, 'env -i')
  await untilRunning(word, 1)
  const parent = (pid: string) => `$(ps -o ppid= -p ${pid})`
  // The shell behind the pipe, its bash, the executor, the guard.
  const script = `kill -9 ${parent(parent(parent('$$')))}; sleep 60`
  await expect(client.script(script)).rejects.toThrow('the box has ended')
  await client.box.exited
  await untilGone(word)
})
