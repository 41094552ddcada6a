import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRedisBus } from '../../../src/adapters/queue/create-redis-bus.ts'
import { createRedisQueue } from '../../../src/adapters/queue/create-redis-queue.ts'
import { RedisRefused, withoutSecrets } from '../../../src/adapters/queue/redis-error.ts'
import { silentLog } from '../../../src/util/log.ts'
import { describeWithRedis } from '../../support/database/describe-with-redis.ts'
import { startRedis, type TestRedis } from '../../support/database/redis.ts'
import { startOldRedis } from './old-redis.ts'
import { createRecordingLog, printed, type RecordingLog } from './redis-log.ts'

const patience = { timeout: 20_000, interval: 20 }
const prefix = 'test'
const wrong = 'wr0ng/pass:w@rd'

describeWithRedis('a Redis that does not serve us as it is', () => {
  let redis: TestRedis
  let log: RecordingLog
  let said: string[]

  beforeEach(async () => {
    redis = await startRedis()
    log = createRecordingLog()
    said = []
    for (const level of ['log', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((words) => void said.push(String(words)))
    }
  })
  afterEach(async () => {
    await redis[Symbol.asyncDispose]()
    vi.restoreAllMocks()
    expect(said).toEqual([])
  })

  /** Error with which opening the queue is refused; the bus is refused the same way. */
  async function refusal(url: string): Promise<Error> {
    const openings = [createRedisQueue({ url, prefix, log }), createRedisBus({ url, prefix, log })]
    const [error, another] = await Promise.all(
      openings.map((opening) => opening.then(() => undefined).catch((reason: Error) => reason)),
    )
    expect(another).toEqual(error)
    if (error === undefined) throw new Error('it was not refused')
    return error
  }

  function at(password: string, path = ''): string {
    return `redis://:${encodeURIComponent(password)}@127.0.0.1:${redis.port}${path}`
  }

  test.each(['5.0.14', '6.0.16'])('STORE-02 a Redis %s is refused as too old', async (version) => {
    await using old = await startOldRedis(`# Server\r\nredis_version:${version}\r\nrole:master\r\n`)
    const error = await refusal(old.url)
    expect(error).toBeInstanceOf(RedisRefused)
    expect(error.message).toContain(`is version ${version}: the queue needs 6.2 or later`)
  })

  test('STORE-02 THREAT-14 the message for a wrong password is clear and does not contain it', async () => {
    const error = await refusal(at(wrong))
    expect(error).toBeInstanceOf(RedisRefused)
    expect(error.message).toMatch(
      /^Redis at 127\.0\.0\.1:\d+ refuses the user or the password of its address/,
    )
    const named = await refusal(at(wrong).replace('//:', '//alice:'))
    expect(named.message).toContain('refuses the user or the password')
    for (const secret of [wrong, encodeURIComponent(wrong), redis.password]) {
      expect(printed([error, named, log.lines])).not.toContain(secret)
    }
  })

  test('STORE-02 a missing password and a missing database are reported clearly', async () => {
    const open = await refusal(`redis://127.0.0.1:${redis.port}`)
    expect(open.message).toContain('asks for a password, and its address holds none')
    const none = await refusal(at(redis.password, '/99'))
    expect(none.message).toContain('does not have the database')
    expect([open, none].every((error) => error instanceof RedisRefused)).toBe(true)
    expect(printed([open, none])).not.toContain(redis.password)
  })

  test('STORE-02 a user without the necessary permissions is reported clearly', async () => {
    await redis.connect().acl('SETUSER', 'alice', 'on', '>secret-of-alice', '~*', '+get')
    const url = `redis://alice:secret-of-alice@127.0.0.1:${redis.port}`
    expect((await refusal(url)).message).toContain('does not allow this user what the queue needs')
  })

  test('STORE-02 a read-only replica is refused, with a hint to use its primary', async () => {
    await using replica = await startRedis({ settings: ['replicaof 127.0.0.1 1'] })
    const error = await refusal(replica.url)
    expect(error.message).toContain('is a read-only replica: give the address of its primary')
  })

  test('STORE-02 a Redis that may evict jobs causes a warning', async () => {
    await redis.connect().config('SET', 'maxmemory-policy', 'allkeys-lru')
    await using queue = await createRedisQueue({ url: redis.url, prefix, log })
    // BullMQ would print the same to the console, once for each queue.
    await queue.add('turns', 'turn-1-1', {})
    expect(log.lines.map(({ text }) => text)).toEqual([
      'warn queue: Redis may throw jobs away: its maxmemory-policy is allkeys-lru, set it to noeviction',
    ])
  })

  test('THREAT-14 a password that the server does not require causes a warning, and everything works', async () => {
    await using open = await startRedis({ hasPassword: false })
    const url = `redis://:needless-secret@127.0.0.1:${open.port}`
    await using queue = await createRedisQueue({ url, prefix, log })
    const seen: string[] = []
    await queue.consume('turns', 1, async (job) => void seen.push(job.id))
    await open.restart()
    await vi.waitFor(() => queue.add('turns', 'turn-1-1', {}), patience)
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
    expect(log.count('warn queue: Redis asks for no password')).toBe(1)
    expect(printed(log.lines)).not.toContain('needless-secret')
  })

  test('STORE-04 THREAT-14 a changed password is reported once, and work continues when it is restored', async () => {
    await using queue = await createRedisQueue({ url: redis.url, prefix, log })
    const seen: string[] = []
    await queue.consume('turns', 1, async (job) => void seen.push(job.id))
    const inside = redis.connect()
    await inside.config('SET', 'requirepass', 'another')
    await inside.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await vi.waitFor(() => expect(log.count('Redis refuses the connection')).toBe(1), patience)
    await expect(queue.add('turns', 'turn-1-1', {})).rejects.toThrow('unreachable')
    await inside.config('SET', 'requirepass', redis.password)
    await vi.waitFor(() => queue.add('turns', 'turn-2-1', {}), patience)
    await vi.waitFor(() => expect(seen).toEqual(['turn-2-1']), patience)
    expect(log.count('Redis refuses the connection')).toBe(1)
    expect(log.lines.length).toBeLessThan(8)
    expect(printed(log.lines)).not.toContain(redis.password)
  })

  test('THREAT-14 a refusal by Redis is logged without the job', async () => {
    await using queue = await createRedisQueue({ url: redis.url, prefix, log })
    await queue.add('turns', 'turn-1-1', {})
    const inside = redis.connect()
    await inside.set(`${prefix}:turns:wait-broken`, 'x')
    await inside.rename(`${prefix}:turns:wait-broken`, `${prefix}:turns:wait`)
    const adding = queue.add('turns', 'turn-2-1', { token: 'secret-of-the-job' })
    const error: unknown = await adding.catch((reason: unknown) => reason)
    expect(printed(error)).toContain('WRONGTYPE')
    await queue.consume('turns', 1, async () => undefined)
    await vi.waitFor(() => expect(log.count('worker error')).toBeGreaterThan(0), patience)
    expect(printed([error, log.lines])).not.toContain('secret-of-the-job')
    expect(printed(log.lines)).not.toContain('evalsha')
  })

  test('REL-02 an invalid address is refused without being quoted', async () => {
    for (const url of [
      '',
      'secret',
      'redis://:sec ret@:x',
      'http://:secret@h',
      'redis://h/?a=secret',
    ]) {
      const error = await createRedisQueue({ url, prefix, log: silentLog }).catch((one) => one)
      expect(printed(error)).toContain('the address of Redis')
      expect(printed(error)).not.toMatch(/sec ?ret/)
    }
  })

  test('THREAT-14 a server that echoes the password does not get it into an error', () => {
    const raw = Object.assign(new Error(`ERR unknown command 'auth' with 'u' '${wrong}'`), {
      command: { name: 'auth', args: ['u', wrong] },
    })
    expect(printed(withoutSecrets(raw, wrong))).not.toContain(wrong)
    expect(withoutSecrets(raw, undefined)).toEqual(new Error(raw.message))
  })
})
