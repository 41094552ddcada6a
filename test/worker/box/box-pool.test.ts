import { describe, expect, test } from 'vitest'
import { BoxPool, type BoxPoolOptions } from '../../../src/worker/box/box-pool.ts'
import { createChildDriver, scripted } from '../child-driver.ts'

const never = new AbortController().signal
const echo = scripted(`if (request.type === 'call') ok(request.id, 'x')`)

const emptySpec = { workspace: '/tmp', readWrite: [], readOnly: [], masked: [] }

function createPool(options: Partial<BoxPoolOptions> = {}, script = echo) {
  const driver = createChildDriver(script)
  const pool = new BoxPool({
    driver,
    specFor: (id) => ({ ...emptySpec, key: `r/${id}` }),
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

  test('REL-03 waits for a slot while all boxes are in use, and stops waiting when cancelled', async () => {
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

  test('BASH-10 commands that must be separate get their own box, which counts towards the limit and is stopped and replaced like the other', async () => {
    await using made = createPool({
      hasCommandBox: true,
      maxBoxes: 2,
      specFor: (id, use) => ({ ...emptySpec, key: `r/${id}/${use}` }),
    })
    const lease = (use: 'files' | 'commands', id = 'a') => made.pool.lease(id, never, use)
    const [files, commands] = [await lease('files'), await lease('commands')]
    expect(files.client).not.toBe(commands.client)
    expect(made.driver.started.map(({ spec }) => spec.key)).toEqual(['r/a/files', 'r/a/commands'])
    commands.client.kill()
    await commands.client.exited
    commands[Symbol.dispose]()
    const again = await lease('commands')
    expect(again.client.isDead).toBe(false)
    expect((await lease('files')).client).toBe(files.client)
    again[Symbol.dispose]()
    // The least recently used box is stopped for another workspace; the box for files is still in use.
    using _other = await lease('files', 'b')
    expect([again.client.isDead, files.client.isDead]).toEqual([true, false])
    expect(made.driver.alive()).toBe(2)
  })

  test('BASH-10 a restart stops both boxes of a workspace, and no other', async () => {
    await using made = createPool({ hasCommandBox: true })
    const leases = [
      await made.pool.lease('a', never, 'files'),
      await made.pool.lease('a', never, 'commands'),
      await made.pool.lease('b', never, 'commands'),
    ]
    for (const lease of leases) lease[Symbol.dispose]()
    made.pool.retire('a')
    await expect.poll(() => made.pool.size, { timeout: 20_000 }).toBe(1)
    expect(leases.map(({ client }) => client.isDead)).toEqual([true, true, false])
  })

  test('BASH-10 commands that need not be separate share the box', async () => {
    await using made = createPool()
    using files = await made.pool.lease('a', never, 'files')
    using commands = await made.pool.lease('a', never, 'commands')
    expect(commands.client).toBe(files.client)
  })

  test('BOX-02 a box that is not ready in time is stopped, and the call fails with that reason', async () => {
    await using made = createPool({ startTimeoutMs: 200 }, 'setInterval(() => {}, 1000)')
    await expect(made.pool.lease('a', never)).rejects.toThrow('did not start within 0.2 s')
    await expect.poll(() => made.driver.alive(), { timeout: 20_000 }).toBe(0)
    await expect.poll(() => made.pool.size, { timeout: 20_000 }).toBe(0)
  })

  test('BOX-09 a box that cannot start reports the driver’s own message and a remedy', async () => {
    const words = 'bwrap: No permissions to create new namespace'
    const dying = `process.stderr.write('${words}\\n'); process.exit(1)`
    await using silent = createPool({}, dying)
    await expect(silent.pool.lease('a', never)).rejects.toThrow(
      /did not start: bwrap: No permissions to create new namespace \(user namespaces are off.*doctor/,
    )
    const driver = createChildDriver(echo)
    const start = () => Promise.reject(new Error('/srv/x cannot be mounted in a box'))
    await using refused = createPool({ driver: { ...driver, start } })
    const failure = await refused.pool.lease('a', never).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: 'BoxFailure',
      message: expect.stringMatching(/did not start: \/srv\/x cannot be mounted in a box.*doctor/),
    })
  })

  test('BOX-02 REL-03 a box that starts too late is stopped when it appears, and counts until then', async () => {
    const driver = createChildDriver(echo)
    const gate = Promise.withResolvers<void>()
    const start: typeof driver.start = async (spec) => {
      await gate.promise
      return driver.start(spec)
    }
    await using made = createPool({ driver: { ...driver, start }, startTimeoutMs: 50, maxBoxes: 1 })
    await expect(made.pool.lease('a', never)).rejects.toThrow('did not start within')
    expect(made.pool.size).toBe(1)
    gate.resolve()
    await expect.poll(() => made.pool.size, { timeout: 20_000 }).toBe(0)
    expect([driver.started.length, driver.alive()]).toEqual([1, 0])
  })

  test('BOX-02 REL-03 a box that never starts blocks neither other boxes nor the disposal of the pool', async () => {
    const driver = createChildDriver(echo)
    const start: typeof driver.start = (spec) =>
      spec.key === 'r/hung' ? new Promise(() => undefined) : driver.start(spec)
    const made = createPool({ driver: { ...driver, start }, startTimeoutMs: 8_000, maxBoxes: 2 })
    await expect(made.pool.lease('hung', never)).rejects.toThrow('did not start within')
    const idle = await made.pool.lease('idle', never)
    idle[Symbol.dispose]()
    const next = await made.pool.lease('next', AbortSignal.timeout(60_000))
    expect([idle.client.isDead, next.client.isDead]).toEqual([true, false])
    next[Symbol.dispose]()
    await made.pool[Symbol.asyncDispose]()
    expect(driver.alive()).toBe(0)
  })

  test('BOX-02 a failed start is reported, and retried by the next call', async () => {
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

  test('BOX-02 disposing stops all boxes, including those that ignore the signal', async () => {
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
