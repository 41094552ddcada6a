import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  createRedisQueue,
  type RedisTuning,
} from '../../../src/adapters/queue/create-redis-queue.ts'
import type { Queue } from '../../../src/ports/queue.ts'
import { silentLog } from '../../../src/util/log.ts'
import { describeWithRedis } from '../../support/database/describe-with-redis.ts'
import { startRedis, type TestRedis } from '../../support/database/redis.ts'
import { createRecordingLog, type RecordingLog } from './redis-log.ts'

const patience = { timeout: 20_000, interval: 20 }
const prefix = 'test'

describeWithRedis('queue on a Redis with troubles', () => {
  let redis: TestRedis
  let log: RecordingLog
  let queue: Queue
  let said: string[]

  beforeEach(async () => {
    redis = await startRedis()
    log = createRecordingLog()
    queue = await open()
    said = []
    for (const level of ['log', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((words) => void said.push(String(words)))
    }
  })
  afterEach(async () => {
    await queue[Symbol.asyncDispose]()
    await redis[Symbol.asyncDispose]()
    vi.restoreAllMocks()
    // The terminal belongs to the chat.
    expect(said).toEqual([])
  })

  /** The client waits a minute for an answer: anything faster did not wait for one. */
  function open(tuning: Partial<RedisTuning> = {}): Promise<Queue> {
    const patient = { graceMs: 5_000, answerMs: 60_000 }
    return createRedisQueue({ url: redis.url, prefix, log, tuning: { ...patient, ...tuning } })
  }

  async function collect(name: string, from = queue): Promise<string[]> {
    const seen: string[] = []
    await from.consume(name, 2, async (job) => {
      seen.push(job.id)
    })
    return seen
  }

  /** Adds until it succeeds, as the sweeper would; an id that was added unnoticed is ignored. */
  async function addAtLast(name: string, id: string, to = queue): Promise<void> {
    await vi.waitFor(() => to.add(name, id, {}), patience)
  }

  test('INT-33 STORE-04 after Redis is killed under a consumer, adding is refused, and work continues when it is back', async () => {
    const seen = await collect('turns')
    await queue.add('turns', 'turn-1-1', {})
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
    // The end of a job is written too, and a new Redis would not know the job.
    await vi.waitFor(async () => expect(await queue.depth('turns')).toBe(0), patience)
    await redis.kill()
    await vi.waitFor(() => expect(log.count('Redis is unreachable')).toBe(1), patience)
    const before = performance.now()
    await expect(queue.add('turns', 'turn-2-1', {})).rejects.toThrow('Redis is unreachable')
    await expect(queue.depth('turns')).rejects.toThrow('Redis is unreachable')
    await expect(queue.check()).rejects.toThrow('Redis is unreachable')
    expect(performance.now() - before).toBeLessThan(30_000)

    await redis.restart()
    const back = performance.now()
    await addAtLast('turns', 'turn-3-1')
    await vi.waitFor(() => expect(seen).toContain('turn-3-1'), patience)
    expect(performance.now() - back).toBeLessThan(8_000)
    expect(seen).not.toContain('turn-2-1')
    expect(log.count('warn queue: Redis is unreachable')).toBe(1)
    expect(log.count('info queue: Redis is reachable again')).toBe(1)
    expect(log.lines.map(({ all }) => all)).toEqual([
      expect.stringContaining('Redis is unreachable'),
      expect.stringContaining('Redis is reachable again'),
    ])
  })

  test('INT-33 STORE-04 adding while Redis is killed is refused within seconds', async () => {
    redis.pause()
    const adding = expect(queue.add('turns', 'turn-1-1', {})).rejects.toThrow(
      'connection to Redis lost',
    )
    const before = performance.now()
    await redis.kill()
    await adding
    expect(performance.now() - before).toBeLessThan(30_000)
  })

  test('STORE-04 with a Redis that comes back empty, the running job ends, new ones run, and events stay bounded', async () => {
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    await queue.consume('turns', 1, async (job) => {
      seen.push(job.id)
      if (job.id === 'turn-1-1') await gate.promise
    })
    await queue.add('turns', 'turn-1-1', {})
    await queue.add('turns', 'turn-2-1', {})
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
    await redis.restart()
    gate.resolve()
    await addAtLast('turns', 'turn-1-1')
    await addAtLast('turns', 'turn-3-1')
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1', 'turn-1-1', 'turn-3-1']), patience)
    await vi.waitFor(async () => expect(await queue.depth('turns')).toBe(0), patience)
    const inside = redis.connect()
    await vi.waitFor(async () => {
      expect(await inside.hget(`${prefix}:turns:meta`, 'opts.maxLenEvents')).toBe('100')
    }, patience)
  })

  test('STORE-04 a Redis that comes back with its jobs hands them out', async () => {
    await using durable = await startRedis({ isDurable: true })
    const own = await createRedisQueue({ url: durable.url, prefix, log: silentLog })
    await own.add('turns', 'turn-1-1', {})
    const idle = await collect('results', own)
    await durable.restart()
    const seen = await collect('turns', own)
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
    await addAtLast('results', 'result-1', own)
    await vi.waitFor(() => expect(idle).toEqual(['result-1']), patience)
    await own[Symbol.asyncDispose]()
  })

  test('STORE-04 with a frozen Redis, adding is refused in time, and work continues when it wakes', async () => {
    const own = await open({ answerMs: 1_500 })
    const seen = await collect('turns', own)
    redis.pause()
    const before = performance.now()
    await expect(own.add('turns', 'turn-1-1', {})).rejects.toThrow(/did not answer|away/)
    expect(performance.now() - before).toBeLessThan(4_900)
    await vi.waitFor(() => expect(log.count('Redis is unreachable')).toBe(1), patience)
    await expect(own.add('turns', 'turn-2-1', {})).rejects.toThrow('Redis is unreachable')
    await sleep(5_000 - (performance.now() - before))
    redis.resume()
    await addAtLast('turns', 'turn-3-1', own)
    await vi.waitFor(() => expect(seen).toContain('turn-3-1'), patience)
    expect(seen).not.toContain('turn-2-1')
    await own[Symbol.asyncDispose]()
  })

  test('STORE-04 connections that are accepted but never greeted are dropped', async () => {
    const own = await open({ answerMs: 300 })
    const seen = await collect('turns', own)
    await redis.kill()
    const sockets = new Set<Socket>()
    const mute = createServer((socket) => void sockets.add(socket.on('error', () => undefined)))
    await new Promise<void>((resolve) => mute.listen(redis.port, '127.0.0.1', resolve))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    // The shared connection, and the consumer's own.
    await vi.waitFor(() => expect(sockets.size).toBeGreaterThanOrEqual(2), patience)
    // The port is closed while the connections stay open.
    mute.close()
    await redis.restart()
    await addAtLast('turns', 'turn-1-1', own)
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
    await own[Symbol.asyncDispose]()
  })

  test('STORE-04 a consumer takes the next job after its own connection was cut', async () => {
    const seen = await collect('turns')
    const inside = redis.connect()
    const kill = async () => {
      const mine = `${await inside.client('LIST')}`.split('\n')
      const [line = ''] = mine.filter((one) => one.includes(`name=${prefix}:w:turns `))
      return await inside.client('KILL', 'ID', /id=(\d+)/.exec(line)?.[1] ?? '')
    }
    await vi.waitFor(async () => expect(await kill()).toBe(1), patience)
    await queue.add('turns', 'turn-1-1', {})
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
    expect(log.lines).toEqual([])
  })

  test('STORE-04 a consumer started while Redis is unreachable works when it is back', async () => {
    await redis.kill()
    await vi.waitFor(() => expect(log.count('Redis is unreachable')).toBe(1), patience)
    const seen = await collect('turns')
    await redis.restart()
    await addAtLast('turns', 'turn-1-1')
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
  })

  test('STORE-04 a queue opened while Redis is unreachable opens when it is back, or stops waiting at the signal', async () => {
    await redis.kill()
    const stop = new AbortController()
    const own = createRecordingLog()
    const given = createRedisQueue({ url: redis.url, prefix, log: own, signal: stop.signal })
    const refused = expect(given).rejects.toThrow()
    await vi.waitFor(() => expect(own.count('queue: waiting for the server')).toBe(1), patience)
    stop.abort(new Error('given up'))
    await refused

    const opening = open()
    await sleep(300)
    await redis.restart()
    await (await opening)[Symbol.asyncDispose]()
  })

  test('STORE-04 the signal ends the wait for a Redis that accepts connections but does not answer', async () => {
    redis.pause()
    const stop = new AbortController()
    const tuning = { answerMs: 60_000 }
    const given = createRedisQueue({ url: redis.url, prefix, log, tuning, signal: stop.signal })
    const refused = expect(given).rejects.toThrow()
    await sleep(200)
    const before = performance.now()
    stop.abort(new Error('given up'))
    await refused
    expect(performance.now() - before).toBeLessThan(30_000)
    redis.resume()
  })

  test('PROC-03 closing takes no longer while Redis is unreachable', async () => {
    const own = await open({ graceMs: 60_000 })
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    await own.consume('turns', 1, async () => {
      started.resolve()
      await gate.promise
    })
    await own.add('turns', 'turn-1-1', {})
    await started.promise
    const consumer = await own.consume('results', 1, async () => undefined)
    await redis.kill()
    await vi.waitFor(() => expect(log.count('Redis is unreachable')).toBe(2), patience)
    await own.consume('late', 1, async () => undefined)
    gate.resolve()
    const before = performance.now()
    await consumer[Symbol.asyncDispose]()
    await own[Symbol.asyncDispose]()
    expect(performance.now() - before).toBeLessThan(30_000)
    expect(log.count('unfinished jobs')).toBe(0)
  })

  test('STORE-04 a Redis that drops connections is not flooded with attempts, even if work was running', async () => {
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    for (const name of ['turns', 'results', 'tools-main']) {
      await queue.consume(name, 2, async (job) => {
        seen.push(job.id)
        started.resolve()
        await gate.promise
      })
    }
    await queue.add('turns', 'turn-1-1', {})
    await started.promise
    await redis.kill()
    let attempts = 0
    const deaf = createServer((socket) => {
      attempts++
      socket.destroy()
    })
    await new Promise<void>((resolve) => deaf.listen(redis.port, '127.0.0.1', resolve))
    onTestFinished(() => void deaf.close())
    gate.resolve()
    const cpu = process.cpuUsage()
    await sleep(3_000)
    const { user, system } = process.cpuUsage(cpu)
    // Four connections, each after 50, 100 … 800 ms and then every second.
    expect(attempts).toBeLessThan(4 * 9)
    expect((user + system) / 1_000).toBeLessThan(1_000)
    expect(log.lines).toHaveLength(1)

    await new Promise((resolve) => deaf.close(resolve))
    await redis.restart()
    await addAtLast('turns', 'turn-2-1')
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1', 'turn-2-1']), patience)
  })

  test('STORE-04 a read-only Redis is queried slowly, reported once, and left once for another server', async () => {
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    const idle = await collect('results')
    await queue.consume('turns', 1, async (job) => {
      seen.push(job.id)
      started.resolve()
      await gate.promise
    })
    await queue.add('turns', 'turn-1-1', {})
    await started.promise
    const inside = redis.connect()
    const commands = async () =>
      Number(/total_commands_processed:(\d+)/.exec(await inside.info('stats'))?.[1])
    await inside.replicaof('127.0.0.1', 1)
    gate.resolve()
    await vi.waitFor(() => expect(log.count('cannot')).toBe(2), patience)
    await expect(queue.add('turns', 'turn-2-1', {})).rejects.toThrow(/READONLY|away/)
    const before = await commands()
    await sleep(2_000)
    expect((await commands()) - before).toBeLessThan(100)
    // The host name may point to another server by now, which only a new connection would reach.
    expect(log.count('Redis is unreachable')).toBe(1)
    expect(log.count('cannot wait for jobs')).toBe(1)
    expect(log.count('cannot take jobs')).toBe(1)
    expect(log.lines.length).toBeLessThan(8)
    await inside.replicaof('NO', 'ONE')
    await addAtLast('turns', 'turn-3-1')
    await addAtLast('results', 'result-1')
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1', 'turn-3-1']), patience)
    await vi.waitFor(() => expect(idle).toEqual(['result-1']), patience)
  })

  test('STORE-04 a full Redis refuses jobs with its own error, and accepts them when there is room', async () => {
    const seen = await collect('turns')
    const inside = redis.connect()
    await inside.config('SET', 'maxmemory', '1')
    await expect(queue.add('turns', 'turn-1-1', {})).rejects.toThrow('OOM')
    await expect(queue.check()).rejects.toThrow('OOM')
    await inside.config('SET', 'maxmemory', '0')
    await addAtLast('turns', 'turn-2-1')
    await vi.waitFor(() => expect(seen).toEqual(['turn-2-1']), patience)
  })
})
