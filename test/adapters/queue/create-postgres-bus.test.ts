import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { createPostgresBus } from '../../../src/adapters/queue/create-postgres-bus.ts'
import { openPool } from '../../../src/db/database.ts'
import { type Log, silentLog } from '../../../src/util/log.ts'
import { busContract } from '../../contract/bus.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { createUnreliableServer } from './unreliable-server.ts'

const patience = { timeout: 20_000, interval: 20 }

busContract('Postgres', async () => {
  const database = await createTestDatabase()
  return {
    open: (log) => openBus(database.pool, { connectionString: database.url }, log),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
})

describe('bus on an unreliable Postgres', () => {
  test.each(['gone', 'deaf'] as const)(
    'STORE-04 while the server is %s events are lost without an error, and they arrive again when it is back',
    async (state) => {
      await using database = await createTestDatabase()
      await using server = await createUnreliableServer(database.connection)
      const pool = openPool(server.connection)
      const heard: unknown[] = []
      const bus = await openBus(pool, server.connection, silentLog)
      await bus.subscribe('live', (payload) => heard.push(payload))
      await server.become(state)
      await bus.publish('live', 'lost')
      const before = server.attempts()
      await sleep(1_000)
      expect(server.attempts() - before).toBeLessThan(30)
      await server.become('well')
      await vi.waitFor(async () => {
        await bus.publish('live', 'heard')
        expect(heard).toContain('heard')
      }, patience)
      expect(heard).not.toContain('lost')
      await bus[Symbol.asyncDispose]()
      await pool.end()
    },
  )

  test('STORE-04 all topics of a bus share one connection, which closing the bus ends', async () => {
    await using database = await createTestDatabase()
    const bus = await openBus(database.pool, { connectionString: database.url }, silentLog)
    for (const topic of ['live', 'cancel', 'outbox']) await bus.subscribe(topic, () => undefined)
    const listeners = async () =>
      (
        await database.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN countersign_bus' AND datname = current_database()`,
        )
      ).rows.length
    expect(await listeners()).toBe(1)
    await bus[Symbol.asyncDispose]()
    await vi.waitFor(async () => expect(await listeners()).toBe(0), patience)
  })

  test('REL-02 foreign messages on the channel are ignored', async () => {
    await using database = await createTestDatabase()
    const bus = await openBus(database.pool, { connectionString: database.url }, silentLog)
    const heard: unknown[] = []
    await bus.subscribe('live', (payload) => heard.push(payload))
    for (const text of ['', 'words', '[]', '{"topic":1}', '{"topic":"__proto__","payload":1}']) {
      await database.pool.query('SELECT pg_notify($1, $2)', ['countersign_bus', text])
    }
    await bus.publish('live', 'mine')
    await vi.waitFor(() => expect(heard).toEqual(['mine']), patience)
    await bus[Symbol.asyncDispose]()
  })
})

function openBus(pool: Pick<pg.Pool, 'query'>, config: pg.ClientConfig, log: Log) {
  return createPostgresBus({
    listen: () => new pg.Client(config),
    notify: (text, values) => pool.query(text, [...values]),
    log,
  })
}
