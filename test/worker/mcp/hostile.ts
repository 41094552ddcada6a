import { join } from 'node:path'
import { expect } from 'vitest'
import type { WorkerToolOutcome } from '../../../src/worker/worker-tool.ts'
import { type OpenServer, openServer } from './open-server.ts'

const fixtures = join(import.meta.dirname, 'fixtures')

/** Bytes by which an attack may make this process grow: a message of the most that is taken, as it is read and parsed. */
const mostGrowth = 400 * 1024 * 1024

/** A hostile server and a well-behaved one in the same process. */
export interface Attack extends AsyncDisposable {
  readonly hostile: OpenServer
  /** Calls the hostile server's tool. */
  call(name?: string): Promise<WorkerToolOutcome>
  /** Checks that the attack disturbed nothing else. */
  expectHarmless(): Promise<void>
}

/** Starts both. `once`: the hostile one behaves from its second start on. */
export async function attack(
  kind: string,
  { once = false, port = 9 }: { readonly once?: boolean; readonly port?: number } = {},
): Promise<Attack> {
  const stack = new AsyncDisposableStack()
  const line = (...args: readonly string[]) => [
    'node',
    join(fixtures, 'hostile-server.mjs'),
    ...args,
  ]
  const own = { readOnly: [fixtures], timeoutMs: 4_000 }
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, note)
    stack.defer(() => void process.off(event, note))
  }
  const calm = stack.use(await openServer(line('none'), own))
  await calm.until(({ state }) => state === 'up')
  const growth = watchMemory()
  stack.defer(growth.stop)
  const hostile = stack.use(
    await openServer(line(kind, once ? 'once' : 'always', String(port)), own),
  )
  let slowest = 0
  const ask = async () => {
    const from = performance.now()
    expect(await callOf(calm)).toEqual({ kind: 'ok', output: 'fine' })
    slowest = Math.max(slowest, performance.now() - from)
  }
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      await ask()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  asking.catch(() => undefined)
  stack.defer(() => {
    isOver = true
  })
  return {
    hostile,
    call: (name = 'it_good') => callOf(hostile, name),
    expectHarmless: async () => {
      isOver = true
      await asking
      await ask()
      expect(slowest).toBeLessThan(3_000)
      expect(calm.states).toHaveLength(1)
      expect(growth.most()).toBeLessThan(mostGrowth)
      expect(unhandled).toEqual([])
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function callOf({ server }: OpenServer, name = 'it_good'): Promise<WorkerToolOutcome> {
  const { signal } = new AbortController()
  const sha256 = server.find(name)?.sha256 ?? ''
  return server.call(name, sha256, {}, { signal, timeoutMs: 4_000 })
}

function watchMemory() {
  const used = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = used()
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, used() - before)
  }, 10)
  return { most: () => most, stop: () => clearInterval(timer) }
}
