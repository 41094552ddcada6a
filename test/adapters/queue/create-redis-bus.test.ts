import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRedisBus } from '../../../src/adapters/queue/create-redis-bus.ts'
import type { Bus } from '../../../src/ports/bus.ts'
import { silentLog } from '../../../src/util/log.ts'
import { busContract } from '../../contract/bus.ts'
import { describeWithRedis } from '../../support/database/describe-with-redis.ts'
import { startRedis, type TestRedis } from '../../support/database/redis.ts'
import { createRecordingLog } from './redis-log.ts'

const patience = { timeout: 20_000, interval: 20 }
const prefix = 'test'

describeWithRedis('the contract', () => {
  busContract('Redis', async () => {
    const redis = await startRedis()
    return {
      open: (log) => createRedisBus({ url: redis.url, prefix, log }),
      [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
    }
  })
})

describeWithRedis('bus on a Redis with troubles', () => {
  let redis: TestRedis

  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(() => redis[Symbol.asyncDispose]())

  async function listen(bus: Bus): Promise<unknown[]> {
    const heard: unknown[] = []
    await bus.subscribe('live', (payload) => heard.push(payload))
    return heard
  }

  /** Publishes until the event arrives. */
  async function hearAtLast(bus: Bus, heard: unknown[], payload: string): Promise<void> {
    await vi.waitFor(async () => {
      await bus.publish('live', payload)
      expect(heard).toContain(payload)
    }, patience)
  }

  test('STORE-04 while Redis is unreachable events are lost without an error, and they arrive again when it is back', async () => {
    const log = createRecordingLog()
    await using bus = await createRedisBus({ url: redis.url, prefix, log, answerMs: 60_000 })
    const heard = await listen(bus)
    await redis.kill()
    await vi.waitFor(() => expect(log.count('Redis is unreachable')).toBe(1), patience)
    const before = performance.now()
    for (let i = 0; i < 20; i++) await bus.publish('live', 'lost')
    expect(performance.now() - before).toBeLessThan(30_000)
    await redis.restart()
    await hearAtLast(bus, heard, 'heard')
    expect(heard).not.toContain('lost')
    const loud = log.lines.filter(({ text }) => !text.startsWith('debug'))
    expect(loud.map(({ text }) => text)).toEqual([
      'warn bus: Redis is unreachable',
      'info bus: Redis is reachable again',
    ])
  })

  test('STORE-04 a frozen Redis blocks no one, and subscribers receive events again when it wakes', async () => {
    const log = createRecordingLog()
    await using bus = await createRedisBus({ url: redis.url, prefix, log, answerMs: 1_000 })
    const heard = await listen(bus)
    redis.pause()
    const before = performance.now()
    await bus.publish('live', 'lost')
    expect(performance.now() - before).toBeLessThan(4_900)
    await vi.waitFor(() => expect(log.count('Redis is unreachable')).toBe(1), patience)
    await sleep(1_000)
    redis.resume()
    await hearAtLast(bus, heard, 'heard')
  })

  test('STORE-04 subscribers receive events again after only their connection was cut', async () => {
    await using bus = await createRedisBus({ url: redis.url, prefix, log: silentLog })
    const heard = await listen(bus)
    expect(await redis.connect().client('KILL', 'TYPE', 'pubsub')).toBe(1)
    await hearAtLast(bus, heard, 'heard')
  })

  test('STORE-04 a bus opened while Redis is unreachable opens when it is back, or stops waiting at the signal', async () => {
    await redis.kill()
    const stop = new AbortController()
    const options = { url: redis.url, prefix, log: silentLog }
    const refused = expect(createRedisBus({ ...options, signal: stop.signal })).rejects.toThrow()
    await sleep(200)
    stop.abort(new Error('given up'))
    await refused
    const opening = createRedisBus(options)
    await redis.restart()
    await using bus = await opening
    await hearAtLast(bus, await listen(bus), 'heard')
  })

  test('PROC-03 closing a bus takes no longer while Redis is unreachable', async () => {
    const log = createRecordingLog()
    const bus = await createRedisBus({ url: redis.url, prefix, log, answerMs: 60_000 })
    await redis.kill()
    await vi.waitFor(() => expect(log.count('Redis is unreachable')).toBe(1), patience)
    const before = performance.now()
    await bus[Symbol.asyncDispose]()
    expect(performance.now() - before).toBeLessThan(20_000)
  })

  test('STORE-02 a bus has two connections for all topics, which closing it ends', async () => {
    const inside = redis.connect()
    const count = async () => `${await inside.client('LIST')}`.match(/name=test:bus /g)?.length ?? 0
    const bus = await createRedisBus({ url: redis.url, prefix, log: silentLog })
    for (const topic of ['live', 'cancel', 'outbox']) await bus.subscribe(topic, () => undefined)
    expect(await count()).toBe(2)
    await bus[Symbol.asyncDispose]()
    await vi.waitFor(async () => expect(await count()).toBe(0), patience)
  })

  test('STORE-02 buses of other prefixes and databases receive nothing', async () => {
    await using mine = await createRedisBus({ url: redis.url, prefix, log: silentLog })
    await using other = await createRedisBus({ url: redis.url, prefix: 'other', log: silentLog })
    await using third = await createRedisBus({ url: `${redis.url}/3`, prefix, log: silentLog })
    const [own, ...strange] = [await listen(mine), await listen(other), await listen(third)]
    await mine.publish('live', 1)
    await vi.waitFor(() => expect(own).toEqual([1]), patience)
    await sleep(50)
    expect(strange).toEqual([[], []])
  })

  test('REL-02 foreign messages on the channel are ignored', async () => {
    await using bus = await createRedisBus({ url: redis.url, prefix, log: silentLog })
    const heard = await listen(bus)
    const inside = redis.connect()
    for (const text of ['', 'words', '[]', '{"topic":1}', '{"topic":"__proto__","payload":1}']) {
      expect(await inside.publish(`${prefix}:0:bus`, text)).toBe(1)
    }
    await inside.publish(`${prefix}:0:bus`, Buffer.from([0xff, 0, 0xfe]))
    await bus.publish('live', 'mine')
    await vi.waitFor(() => expect(heard).toEqual(['mine']), patience)
  })
})
