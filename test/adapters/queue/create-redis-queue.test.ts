import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createRedisQueue,
  type RedisTuning,
} from '../../../src/adapters/queue/create-redis-queue.ts'
import type { Queue } from '../../../src/ports/queue.ts'
import { silentLog } from '../../../src/util/log.ts'
import { queueContract } from '../../contract/queue.ts'
import { describeWithRedis } from '../../support/database/describe-with-redis.ts'
import { startRedis, type TestRedis } from '../../support/database/redis.ts'

const patience = { timeout: 20_000, interval: 20 }

describeWithRedis('the contract', () => {
  queueContract('Redis', async () => {
    const redis = await startRedis()
    return {
      open: ({ log, graceMs }) =>
        createRedisQueue({ url: redis.url, prefix: 'test', log, tuning: { graceMs } }),
      [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
    }
  })
})

describeWithRedis('queue on Redis, seen from inside', () => {
  let redis: TestRedis
  const open: Queue[] = []

  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one[Symbol.asyncDispose]()))
    await redis[Symbol.asyncDispose]()
  })

  async function openQueue(
    prefix = 'test',
    path = '',
    tuning: Partial<RedisTuning> = {},
  ): Promise<Queue> {
    const url = `${redis.url}${path}`
    const queue = await createRedisQueue({ url, prefix, log: silentLog, tuning })
    open.push(queue)
    return queue
  }

  async function collect(queue: Queue, name: string): Promise<string[]> {
    const seen: string[] = []
    await queue.consume(name, 1, async (job) => {
      seen.push(job.id)
    })
    return seen
  }

  test('STORE-02 queues share one connection, each consumer has one more, and closing ends all', async () => {
    const inside = redis.connect()
    const names = async () =>
      `${await inside.client('LIST')}`.match(/(?<= name=)test:\S+/g)?.toSorted() ?? []
    const queue = await openQueue()
    for (const name of ['turns', 'results', 'tools-main.a-1']) await queue.add(name, 'job-1', {})
    expect(await names()).toEqual(['test:queue'])
    const consumer = await queue.consume('turns', 4, async () => undefined)
    await queue.consume('tools-main.a-1', 4, async () => undefined)
    const all = ['test:queue', 'test:w:tools-main.a-1', 'test:w:turns']
    await vi.waitFor(async () => expect(await names()).toEqual(all), patience)
    await consumer[Symbol.asyncDispose]()
    await vi.waitFor(async () => expect(await names()).toEqual(all.slice(0, 2)), patience)
    await queue[Symbol.asyncDispose]()
    await vi.waitFor(async () => expect(await names()).toEqual([]), patience)
  })

  test('STORE-02 prefixes and databases separate jobs, and forgetting does not affect others', async () => {
    const places = [
      await openQueue('main'),
      await openQueue('main-2'),
      await openQueue('m[a]in'),
      await openQueue('main', '/3'),
    ]
    for (const place of places) await place.add('turns', 'turn-1-1', {})
    const depths = () => Promise.all(places.map((place) => place.depth('turns')))
    expect(await depths()).toEqual([1, 1, 1, 1])
    await places[2]?.forgetAll()
    expect(await depths()).toEqual([1, 1, 0, 1])
    await places[0]?.forgetAll()
    expect(await redis.connect().keys('main:*')).toEqual([])
    expect(await depths()).toEqual([0, 1, 0, 1])
  })

  test('STORE-01 forgetting includes running jobs, and leaves other keys alone', async () => {
    const inside = redis.connect()
    const queue = await openQueue()
    for (const id of ['turn-1-1', 'turn-2-1']) await queue.add('turns', id, {})
    await inside.lmove('test:turns:wait', 'test:turns:active', 'RIGHT', 'LEFT')
    await inside.set('test:other', 'of somebody else')
    await queue.forgetAll()
    expect(await inside.keys('*')).toEqual(['test:other'])
    const seen = await collect(queue, 'turns')
    await queue.add('turns', 'turn-1-1', {})
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
  })

  test('INT-14 a job whose worker died is dropped, not run again, and its id is free', async () => {
    const inside = redis.connect()
    const queue = await openQueue('test', '', { stallCheckMs: 100 })
    await queue.add('turns', 'turn-1-1', {})
    // The state that a worker leaves when it dies with a job: no lock, and no marker for others.
    await inside.lmove('test:turns:wait', 'test:turns:active', 'RIGHT', 'LEFT')
    await inside.del('test:turns:marker')
    const seen = await collect(queue, 'turns')
    await vi.waitFor(async () => expect(await queue.depth('turns')).toBe(0), patience)
    expect(await inside.exists('test:turns:turn-1-1')).toBe(0)
    expect(seen).toEqual([])
    await queue.add('turns', 'turn-1-1', {})
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
  })

  test('REL-03 THREAT-14 finished jobs leave only a bounded number of events', async () => {
    const inside = redis.connect()
    const queue = await openQueue()
    let done = 0
    await queue.consume('turns', 8, async () => {
      if (++done % 2 === 0) throw new Error('broken')
    })
    const ids = Array.from({ length: 400 }, (_, i) => `turn-${i}-1`)
    await Promise.all(ids.map((id) => queue.add('turns', id, { text: 'of the job' })))
    await vi.waitFor(() => expect(done).toBe(400), patience)
    await vi.waitFor(async () => expect(await queue.depth('turns')).toBe(0), patience)
    const left = (await inside.keys('*')).map((key) => key.slice('test:turns:'.length))
    const settings = ['events', 'id', 'marker', 'meta', 'stalled-check']
    expect(left.filter((key) => !settings.includes(key))).toEqual([])
    expect(await inside.xlen('test:turns:events')).toBeLessThan(300)
    const { version: _, ...kept } = await inside.hgetall('test:turns:meta')
    expect(kept).toEqual({ 'opts.maxLenEvents': '100' })
  })
})
