import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { identify, isAlive, killGroup } from '../../src/worker/process-identity.ts'
import { isRunning } from './child-driver.ts'

async function start(command: string): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn('bash', ['-c', command], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child, 'spawn')
  return Object.assign(child, { pid: child.pid ?? 0 })
}

async function firstLine(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('no output')
  const [line] = await once(child.stdout, 'data')
  return Number(String(line))
}

test('INT-15 a process group is killed with its leader', async () => {
  const child = await start('sleep 600 & echo $!; wait')
  const member = await firstLine(child)
  const leader = identify(child.pid)
  if (leader === undefined) throw new Error('it does not run')
  killGroup(leader)
  await expect
    .poll(() => isRunning(child.pid) || isRunning(member), { timeout: 20_000 })
    .toBe(false)
  expect(isAlive(leader)).toBe(false)
})

test('INT-15 the rest of a group whose leader has exited is killed too', async () => {
  const child = await start('sleep 600 >/dev/null & echo $!; wait')
  const leader = identify(child.pid)
  const member = await firstLine(child)
  if (leader === undefined) throw new Error('it does not run')
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  expect(isRunning(member)).toBe(true)
  killGroup(leader)
  await expect.poll(() => isRunning(member), { timeout: 20_000 }).toBe(false)
})

test('INT-15 a later process with the same number is a different one: not alive, not killed', async () => {
  const child = await start('sleep 600')
  const leader = identify(child.pid)
  if (leader === undefined) throw new Error('it does not run')
  const earlier = { pid: leader.pid, ticks: leader.ticks - 5 }
  expect(isAlive(earlier)).toBe(false)
  killGroup(earlier)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(isAlive(leader)).toBe(true)
  killGroup(leader)
})
