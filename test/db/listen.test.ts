import { expect, test, vi } from 'vitest'
import { listen } from '../../src/db/listen.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'

const patience = { timeout: 20_000, interval: 50 }

test('STORE-04 hears what is notified on its channel only, from the moment that it listens', async () => {
  await using database = await createTestDatabase()
  const heard: string[] = []
  await using _ = await listen(database.connection, 'Some channel', (text) => heard.push(text))
  await notify(database, 'other', 'no')
  await notify(database, 'Some channel', 'yes')
  await vi.waitFor(() => expect(heard).toEqual(['yes']), patience)
})

test('STORE-04 it listens again after its connection was cut', async () => {
  await using database = await createTestDatabase()
  const heard: string[] = []
  await using _ = await listen(database.connection, 'news', (text) => heard.push(text))
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
  )
  await vi.waitFor(async () => {
    await notify(database, 'news', 'again')
    expect(heard).toContain('again')
  }, patience)
})

test('STORE-04 hears nothing after it was disposed, and its connection is closed', async () => {
  await using database = await createTestDatabase()
  const heard: string[] = []
  const listening = await listen(database.connection, 'news', (text) => heard.push(text))
  await listening[Symbol.asyncDispose]()
  await notify(database, 'news', 'late')
  await vi.waitFor(async () => expect(await listeners(database)).toBe(0), patience)
  expect(heard).toEqual([])
})

test('STORE-04 an aborted signal ends the wait for an unavailable server', async () => {
  const signal = AbortSignal.timeout(300)
  const nowhere = { host: '/tmp/nowhere', user: 'nobody', database: 'none' }
  await expect(listen(nowhere, 'news', () => undefined, { signal })).rejects.toThrow('timeout')
})

async function notify(database: TestDatabase, channel: string, payload: string): Promise<void> {
  await database.pool.query('select pg_notify($1, $2)', [channel, payload])
}

async function listeners(database: TestDatabase): Promise<number | undefined> {
  const { rows } = await database.pool.query<{ n: number }>(
    "select count(*) as n from pg_stat_activity where query like 'listen %' and datname = current_database()",
  )
  return rows[0]?.n
}
