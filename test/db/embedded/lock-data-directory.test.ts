import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { DataDirectoryInUse } from '../../../src/db/embedded/errors.ts'
import { processStart } from '../../../src/db/embedded/launch-postmaster.ts'
import { lockDataDirectory } from '../../../src/db/embedded/lock-data-directory.ts'
import { anyCharacter } from '../../support/run/any-character.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'

test('INT-36 the lock says who holds it, and is gone when it is given back', async () => {
  await using directory = await temporaryDirectory()
  const dataDir = join(directory.path, 'new')
  const lock = await lockDataDirectory(dataDir)
  const held = JSON.parse(await readFile(join(dataDir, 'lock'), 'utf8'))
  expect(held).toMatchObject({ pid: process.pid, start: await processStart(process.pid) })
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  await lock[Symbol.asyncDispose]()
  expect(await readdir(dataDir)).toEqual([])
})

test('INT-36 a held lock refuses every other process', async () => {
  await using directory = await temporaryDirectory()
  await using _ = await lockDataDirectory(directory.path)
  const second = lockDataDirectory(directory.path)
  await expect(second).rejects.toThrow(DataDirectoryInUse)
  await expect(second).rejects.toThrow(`in use by process ${process.pid}`)
})

test('INT-36 the lock of a dead process is taken over', async () => {
  await using directory = await temporaryDirectory()
  const child = spawn('sleep', ['60'])
  const pid = child.pid ?? 0
  await holdAs(directory.path, pid, await processStart(pid))
  await expect(lockDataDirectory(directory.path)).rejects.toMatchObject({ pid })
  child.kill('SIGKILL')
  await once(child, 'exit')
  await using _ = await lockDataDirectory(directory.path)
  expect(await readdir(directory.path)).toEqual(['lock'])
})

test('INT-36 a process that reuses the pid of a dead holder does not hold its lock', async () => {
  await using directory = await temporaryDirectory()
  await holdAs(directory.path, process.pid, 'another boot:17')
  await using _ = await lockDataDirectory(directory.path)
})

test('INT-36 a zombie holds no lock', async () => {
  await using directory = await temporaryDirectory()
  // The child exits soon, and the sleep that replaces its parent shell never reaps it.
  const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  await vi.waitFor(async () => expect(await state(pid)).toBe('Z'), { timeout: 20_000 })
  await holdAs(directory.path, pid, undefined)
  await using _ = await lockDataDirectory(directory.path)
  parent.kill('SIGKILL')
})

test('INT-36 exactly one of many contenders takes over the lock of a dead process', async () => {
  for (let round = 0; round < 20; round++) {
    await using directory = await temporaryDirectory()
    await holdAs(directory.path, process.pid, 'another boot:17')
    const tries = Array.from({ length: 12 }, () => lockDataDirectory(directory.path))
    const outcomes = await Promise.allSettled(tries)
    const won = outcomes.filter(({ status }) => status === 'fulfilled')
    const lost = outcomes.filter(({ status }) => status === 'rejected')
    expect(won).toHaveLength(1)
    for (const loss of lost) expect(loss).toMatchObject({ reason: { name: 'DataDirectoryInUse' } })
    expect(await readdir(directory.path)).toEqual(['lock'])
  }
})

test('INT-36 a claim left by a contender killed while taking over is taken over in turn', async () => {
  await using directory = await temporaryDirectory()
  await holdAs(directory.path, process.pid, 'another boot:17')
  const path = join(directory.path, 'lock')
  await writeFile(`${path}.holder`, JSON.stringify({ id: 'x', pid: process.pid, start: 'before' }))
  await using _ = await lockDataDirectory(directory.path)
  const held = JSON.parse(await readFile(path, 'utf8'))
  expect(held.start).toBe(await processStart(process.pid))
})

test('INT-36 any content left in the lock file by a machine crash does not prevent a start', async () => {
  const anything = fc.oneof(fc.string(), fc.json(), fc.string({ unit: anyCharacter }))
  await fc.assert(
    fc.asyncProperty(anything, async (text) => {
      await using directory = await temporaryDirectory()
      await writeFile(join(directory.path, 'lock'), text)
      await using _ = await lockDataDirectory(directory.path)
    }),
    { numRuns: 60 },
  )
})

async function holdAs(dataDir: string, pid: number, start: string | undefined): Promise<void> {
  const content = JSON.stringify({ id: 'holder', pid, start: start ?? 'unknown' })
  await writeFile(join(dataDir, 'lock'), content)
}

/** Returns field 3 of proc(5)'s stat. */
async function state(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[0]
}
