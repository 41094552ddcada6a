import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { type Client, errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Counts living processes whose command line contains `text`. */
function livingWith(text: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const isDead = stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
      return !isDead && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text)
    } catch {
      return false
    }
  })
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20)
}

/** Durations that no other process on the machine sleeps. */
function unique(): string {
  return `${100_000 + Math.floor(Math.random() * 800_000)}.${process.pid}`
}

/** Children in the group, in their own session, ignoring TERM, and forked twice. */
function stubborn(seconds: string): string {
  return [
    `sleep ${seconds} &`,
    `setsid sleep ${seconds} &`,
    `(trap "" TERM; setsid bash -c 'trap "" TERM; sleep ${seconds}; sleep ${seconds}') &`,
    `(setsid bash -c '(sleep ${seconds} &) ; sleep 0.1' &) `,
    'sleep 0.5; touch ready; wait; sleep 1000',
  ].join('\n')
}

async function untilReady(client: Client, seconds: string): Promise<void> {
  await waitUntil(() => readdirSync(client.workspace).includes('ready'))
  expect(livingWith(seconds).length).toBeGreaterThanOrEqual(4)
}

test('BASH-03 after a time-out no process of the tree survives, not even in its own session', async () => {
  await using client = await startClient()
  const seconds = unique()
  const id = client.begin('bash', { command: stubborn(seconds) }, { timeoutMs: 10_000 })
  await untilReady(client, seconds)
  expect(errorOf(await client.result(id)).category).toBe('timeout')
  expect(livingWith(seconds)).toEqual([])
})

test('BASH-03 after a cancel no process of the tree survives, and other commands continue', async () => {
  await using client = await startClient()
  const [seconds, other] = [unique(), unique()]
  const staying = client.begin('bash', { command: `sleep ${other}` })
  const id = client.begin('bash', { command: stubborn(seconds) })
  await untilReady(client, seconds)
  client.send({ type: 'cancel', id })
  expect(errorOf(await client.result(id)).category).toBe('cancelled')
  expect(livingWith(seconds)).toEqual([])
  expect(livingWith(other).length).toBe(1)
  client.send({ type: 'cancel', id: staying })
  await client.result(staying)
})

test('BASH-03 a command that ends at TERM may still print output', async () => {
  await using client = await startClient()
  const command = 'trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done'
  const outcome = await client.call('bash', { command }, { timeoutMs: 6000 })
  expect(outcome).toMatchObject({
    kind: 'error',
    envelope: { stdout: 'up\nbye\n', timed_out: true },
  })
})

test('BASH-03 a daemon in its own session ends with the command that started it, and a background command stays', async () => {
  await using client = await startClient()
  const [seconds, other] = [unique(), unique()]
  await client.call('bash', { command: `exec sleep ${other}`, background: true })
  const command = `(setsid nohup sleep ${seconds} >/dev/null 2>&1 &); sleep 0.3; echo done`
  expect(outputOf(await client.call('bash', { command }))).toMatch(/^done\n\[1 process left/)
  expect(livingWith(seconds)).toEqual([])
  expect(livingWith(other).length).toBe(1)
})

test('BASH-02 a background child that holds the pipes does not delay the call', async () => {
  await using client = await startClient()
  const seconds = unique()
  const startedAt = Date.now()
  expect(outputOf(await client.call('bash', { command: `sleep ${seconds} & echo done` }))).toBe(
    'done\n[1 process left running by it ended with it; "background": true keeps a command running]',
  )
  expect(Date.now() - startedAt).toBeLessThan(20_000)
  expect(livingWith(seconds)).toEqual([])
})

test('BOX-02 when standard input closes the executor ends with everything it started', async () => {
  const client = await startClient()
  const seconds = unique()
  client.begin('bash', { command: stubborn(seconds) })
  await untilReady(client, seconds)
  client.child.stdin.end()
  expect(await client.exited).toBe(0)
  expect(livingWith(seconds)).toEqual([])
  await client[Symbol.asyncDispose]()
})

test('BOX-02 a TERM ends the executor with everything it started', async () => {
  const client = await startClient()
  const seconds = unique()
  client.begin('bash', { command: stubborn(seconds) })
  await untilReady(client, seconds)
  client.child.kill('SIGTERM')
  await client.exited
  expect(livingWith(seconds)).toEqual([])
  await client[Symbol.asyncDispose]()
})

test('BOX-02 commands carry the key of their box, by which a driver finds them after a kill -9', async () => {
  const client = await startClient({ env: { COUNTERSIGN_BOX: 'replica/conversation-7' } })
  const seconds = unique()
  client.begin('bash', { command: `setsid sleep ${seconds}` })
  await waitUntil(() => livingWith(`sleep\0${seconds}`).length === 1)
  client.child.kill('SIGKILL')
  await client.exited
  // Its command line is empty until `setsid` has replaced it.
  await waitUntil(() => livingWith(`sleep\0${seconds}`).length === 1)
  const [pid] = livingWith(`sleep\0${seconds}`)
  const environment = await readFile(join('/proc', pid ?? '', 'environ'), 'utf8')
  expect(environment.split('\0')).toContain('COUNTERSIGN_BOX=replica/conversation-7')
  process.kill(Number(pid), 'SIGKILL')
})

test('BOX-02 an executor that ends leaves alone the commands of another one with the same key', async () => {
  const env = { COUNTERSIGN_BOX: 'replica/same' }
  await using staying = await startClient({ env })
  const ending = await startClient({ env })
  const seconds = unique()
  const id = staying.begin('bash', { command: `sleep ${seconds}` })
  // Its command line is empty until the shell has replaced it.
  await waitUntil(() => livingWith(`sleep\0${seconds}`).length === 1)
  await ending[Symbol.asyncDispose]()
  expect(livingWith(seconds).length).toBe(1)
  staying.send({ type: 'cancel', id })
  await staying.result(id)
})
