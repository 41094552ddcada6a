import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { countStatements } from '../../../bench/support/count-statements.ts'
import { createPostgresQueue } from '../../../src/adapters/queue/create-postgres-queue.ts'
import { openPool } from '../../../src/db/database.ts'
import type { Queue } from '../../../src/ports/queue.ts'
import { type Log, silentLog } from '../../../src/util/log.ts'
import { queueContract } from '../../contract/queue.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { createUnreliableServer, type UnreliableServer } from './unreliable-server.ts'

const patience = { timeout: 20_000, interval: 20 }

queueContract('Postgres', async () => {
  const database = await createTestDatabase()
  const pools: Pool[] = []
  return {
    open: async ({ log, graceMs }) => {
      const pool = openPool({ url: database.url }, { max: 5, searchPath: 'bullmq' })
      pools.push(pool)
      return await createPostgresQueue({ pool, log, tuning: { graceMs } })
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(pools.map((pool) => pool.end()))
      await database[Symbol.asyncDispose]()
    },
  }
})

describe('announcements of jobs', () => {
  test('SHIP-07 a job costs three statements, and no job waits for a poll however adds and consumers are mixed', async () => {
    await using database = await createTestDatabase()
    await using resources = new AsyncDisposableStack()
    const open = async () => {
      const pool = openPool({ url: database.url }, { max: 5, searchPath: 'bullmq' })
      resources.defer(() => pool.end())
      const queue = resources.use(await createPostgresQueue({ pool, log: silentLog }))
      return { pool, queue }
    }
    const [one, other] = [await open(), await open()]
    const seen = new Set<string>()
    const collect = async (job: { readonly id: string }) => {
      await sleep(Math.random() * 3)
      seen.add(job.id)
    }
    // Waits already when the first consumer starts, and was announced to nobody.
    await one.queue.add('results', 'job-early', {})
    await Promise.all([
      one.queue.consume('results', 1, collect),
      other.queue.consume('results', 4, collect),
      ...Array.from({ length: 100 }, async (_, n) => {
        await sleep(Math.random() * 300)
        await (n % 2 === 0 ? one : other).queue.add('results', `job-${n}-x`, {})
      }),
    ])
    await vi.waitFor(() => expect(seen.size).toBe(101), { timeout: 2_000, interval: 20 })

    using statements = countStatements()
    await one.queue.consume('alone', 16, collect)
    await sleep(200)
    statements.take()
    for (let n = 0; n < 20; n++) {
      await one.queue.add('alone', `alone-${n}-x`, {})
      await vi.waitFor(() => expect(seen).toContain(`alone-${n}-x`), patience)
    }
    await sleep(50)
    const { queue } = statements.take()
    expect(queue).toBeGreaterThanOrEqual(59)
    // A notice may come when its job is taken already, and looks into the empty queue then.
    expect(queue).toBeLessThan(66)
  })
})

describe('queue on an unreliable Postgres', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  let server: UnreliableServer
  let pool: Pool
  let queue: Queue

  beforeEach(async () => {
    database = await createTestDatabase()
    server = await createUnreliableServer(database.connection)
    pool = openPool(server.connection, { max: 4, searchPath: 'bullmq' })
    queue = await createPostgresQueue({ pool, log: silentLog })
  })
  afterEach(async () => {
    await server.become('well')
    await queue[Symbol.asyncDispose]()
    await pool.end()
    await server[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  async function collect(name: string): Promise<string[]> {
    const seen: string[] = []
    await queue.consume(name, 1, async (job) => {
      seen.push(job.id)
    })
    return seen
  }

  /** Adds until it succeeds, as the sweeper would; an id that was added unnoticed is ignored. */
  async function addAtLast(name: string, id: string): Promise<void> {
    await vi.waitFor(() => queue.add(name, id, {}), patience)
  }

  test.each(['gone', 'deaf'] as const)(
    'INT-33 STORE-04 adding to a server that is %s is refused, and succeeds when it is back',
    async (state) => {
      const seen = await collect('turns')
      await queue.add('turns', 'turn-1-1', {})
      await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
      await server.become(state)
      await expect(queue.add('turns', 'turn-2-1', {})).rejects.toThrow()
      await sleep(300)
      await server.become('well')
      await addAtLast('turns', 'turn-2-1')
      await vi.waitFor(() => expect(seen).toEqual(['turn-1-1', 'turn-2-1']), patience)
    },
  )

  test('STORE-04 a consumer started while the server is unreachable works when it is back', async () => {
    await server.become('gone')
    const seen = await collect('turns')
    await server.become('well')
    await addAtLast('turns', 'turn-1-1')
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
  })

  test('STORE-04 a queue opened while the server is unreachable opens when it is back, or stops waiting at the signal', async () => {
    await server.become('gone')
    const stop = new AbortController()
    const given = createPostgresQueue({ pool, log: silentLog, signal: stop.signal })
    stop.abort(new Error('given up'))
    await expect(given).rejects.toThrow()

    const opening = createPostgresQueue({ pool, log: silentLog })
    await sleep(200)
    await server.become('well')
    await (await opening)[Symbol.asyncDispose]()
  })

  test('STORE-04 an unreachable server is not flooded with attempts, even if work was running', async () => {
    const lines: string[] = []
    const write = (_fields: object, message: string) => void lines.push(message)
    const log: Log = { debug: write, info: write, warn: write, error: write }
    const told = await createPostgresQueue({ pool, log })
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    await told.consume('turns', 1, async (job) => {
      seen.push(job.id)
      started.resolve()
      await gate.promise
    })
    await told.add('turns', 'turn-1-1', {})
    await started.promise
    await server.become('deaf')
    const before = server.attempts()
    gate.resolve()
    await sleep(2_000)
    expect(server.attempts() - before).toBeLessThan(60)
    expect(lines.filter((line) => line.includes('unreachable'))).toHaveLength(1)
    expect(lines.length).toBeLessThan(20)

    await server.become('well')
    await vi.waitFor(() => told.add('turns', 'turn-2-1', {}), patience)
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1', 'turn-2-1']), patience)
    expect(lines.some((line) => line.includes('reachable again'))).toBe(true)
    await told[Symbol.asyncDispose]()
  })

  test('STORE-04 all consumers are notified again after the listening connection was killed', async () => {
    const [turns, results] = [await collect('turns'), await collect('results')]
    const listeners = `SELECT pid FROM pg_stat_activity
      WHERE query LIKE '%LISTEN bullmq_jobs%' AND datname = current_database()
        AND pid <> pg_backend_pid()`
    const pids = async () =>
      (await database.pool.query<{ pid: number }>(listeners)).rows.map((row) => row.pid)
    await vi.waitFor(async () => expect(await pids()).toHaveLength(1), patience)
    const [first] = await pids()
    await database.pool.query('SELECT pg_terminate_backend($1::int)', [first])
    await vi.waitFor(async () => {
      const now = await pids()
      expect(now).toHaveLength(1)
      expect(now).not.toEqual([first])
    }, patience)
    await addAtLast('turns', 'turn-1-1')
    await addAtLast('results', 'result-1')
    await vi.waitFor(() => expect([turns, results]).toEqual([['turn-1-1'], ['result-1']]), patience)
  })

  test('STORE-01 with more consumers than connections, one listens for all, and none starves', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `tools-${i}`)
    const seen = await Promise.all(names.map(collect))
    for (const name of names) await queue.add(name, 'call-1-1', {})
    await vi.waitFor(() => expect(seen).toEqual(names.map(() => ['call-1-1'])), patience)
  })

  test('INT-14 a job whose worker died is dropped, not run again, and its id is free', async () => {
    await queue.add('turns', 'turn-1-1', {})
    await pool.query(
      `UPDATE job SET state = 'active', lock_token = 'dead', locked_until_ms = 1, stalled_marked = true
       WHERE id = 'turn-1-1'`,
    )
    const checking = await createPostgresQueue({
      pool,
      log: silentLog,
      tuning: { stallCheckMs: 100 },
    })
    const seen: string[] = []
    await checking.consume('turns', 1, async (job) => {
      seen.push(job.id)
    })
    await vi.waitFor(async () => {
      expect((await pool.query('SELECT 1 FROM job')).rows).toEqual([])
    }, patience)
    expect(seen).toEqual([])
    await queue.add('turns', 'turn-1-1', {})
    await vi.waitFor(() => expect(seen).toEqual(['turn-1-1']), patience)
    await checking[Symbol.asyncDispose]()
  })

  test('REL-03 SHIP-07 finished jobs leave nothing, as BullMQ writes no events for the plain jobs of this product', async () => {
    let done = 0
    await queue.consume('turns', 8, async () => {
      done++
    })
    await Promise.all(Array.from({ length: 300 }, (_, i) => queue.add('turns', `turn-${i}-1`, {})))
    await vi.waitFor(() => expect(done).toBe(300), patience)
    await vi.waitFor(async () => {
      expect((await pool.query('SELECT 1 FROM job')).rows).toEqual([])
    }, patience)
    const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM event')
    expect(rows[0]?.n).toBe(0)
  })

  test('STORE-01 a pool with another schema is refused at once', async () => {
    await expect(createPostgresQueue({ pool: database.pool, log: silentLog })).rejects.toThrow(
      'search_path=bullmq',
    )
  })
})
