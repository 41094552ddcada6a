import { describe, expect, test } from 'vitest'
import { BoxPool, type BoxPoolOptions } from '../../src/worker/box-pool.ts'
import { createChildDriver, scripted } from './child-driver.ts'

const never = new AbortController().signal
const echo = scripted(`if (request.type === 'call') ok(request.id, 'x')`)

function createPool(options: Partial<BoxPoolOptions> = {}, script = echo) {
  const driver = createChildDriver(script)
  const pool = new BoxPool({
    driver,
    specFor: (id) => ({
      key: `r/${id}`,
      workspace: '/tmp',
      readWrite: [],
      readOnly: [],
      masked: [],
    }),
    idleTimeoutMs: 60_000,
    maxBoxes: 4,
    graceMs: 500,
    ...options,
  })
  return { driver, pool, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() }
}

describe('a pool of boxes', () => {
  test('BOX-02 starts one box for many calls of a workspace, also at once, and keeps it warm', async () => {
    await using made = createPool()
    const leases = await Promise.all(Array.from({ length: 10 }, () => made.pool.lease('a', never)))
    for (const lease of leases) lease[Symbol.dispose]()
    using again = await made.pool.lease('a', never)
    expect(again.client).toBe(leases[0]?.client)
    expect(made.driver.started).toHaveLength(1)
  })

  test('BOX-05 gives each workspace a box of its own', async () => {
    await using made = createPool()
    using a = await made.pool.lease('a', never)
    using b = await made.pool.lease('b', never)
    expect(a.client).not.toBe(b.client)
    expect(made.driver.started.map(({ spec }) => spec.key)).toEqual(['r/a', 'r/b'])
  })

  test('BOX-02 replaces a box that crashed at the next call', async () => {
    await using made = createPool()
    const first = await made.pool.lease('a', never)
    await made.driver.started[0]?.box.kill()
    await first.client.exited
    first[Symbol.dispose]()
    using second = await made.pool.lease('a', never)
    expect(second.client).not.toBe(first.client)
    expect(second.client.isDead).toBe(false)
  })

  test('BOX-02 stops an idle box, never one that is in use or kept warm', async () => {
    await using made = createPool({ idleTimeoutMs: 50 })
    using _used = await made.pool.lease('used', never)
    const kept = await made.pool.lease('kept', never)
    kept.keepWarm()
    kept[Symbol.dispose]()
    const idle = await made.pool.lease('idle', never)
    idle[Symbol.dispose]()
    await expect.poll(() => made.pool.size, { timeout: 20_000 }).toBe(2)
    expect(idle.client.isDead).toBe(true)
    expect(kept.client.isDead).toBe(false)
  })

  test('REL-03 holds at most so many boxes: the one not used for longest makes room', async () => {
    await using made = createPool({ maxBoxes: 2 })
    const clients = new Map<string, { readonly isDead: boolean }>()
    for (const id of ['a', 'b', 'a', 'c']) {
      using lease = await made.pool.lease(id, never)
      clients.set(id, lease.client)
      expect(made.driver.alive()).toBeLessThanOrEqual(2)
    }
    expect([...clients].map(([id, client]) => [id, client.isDead])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ])
  })

  test('REL-03 waits for a place while all boxes are in use, and stops waiting when told', async () => {
    await using made = createPool({ maxBoxes: 1 })
    const first = await made.pool.lease('a', never)
    const stop = new AbortController()
    const given = made.pool.lease('b', stop.signal)
    const waiting = made.pool.lease('c', never)
    stop.abort(new Error('stopped'))
    await expect(given).rejects.toThrow('stopped')
    first[Symbol.dispose]()
    using third = await waiting
    expect(third.client.isDead).toBe(false)
    expect(first.client.isDead).toBe(true)
  })

  test('BOX-02 a start that fails is told, and tried again by the next call', async () => {
    let failures = 1
    const driver = createChildDriver(echo)
    const start: typeof driver.start = async (spec) => {
      failures -= 1
      if (failures >= 0) throw new Error('no box today')
      return driver.start(spec)
    }
    await using made = createPool({ driver: { ...driver, start } })
    await expect(made.pool.lease('a', never)).rejects.toThrow('no box today')
    using second = await made.pool.lease('a', never)
    expect(second.client.isDead).toBe(false)
  })

  test('BOX-02 disposing stops all boxes, those that ignore it too', async () => {
    const made = createPool(
      {},
      `${echo}\nprocess.stdin.on('end', () => {})\nprocess.exit = () => {}; setInterval(() => {}, 1000)`,
    )
    for (const id of ['a', 'b']) {
      using _lease = await made.pool.lease(id, never)
    }
    await made[Symbol.asyncDispose]()
    expect(made.driver.alive()).toBe(0)
    await expect(made.pool.lease('a', never)).rejects.toThrow(/closed/)
  })
})
