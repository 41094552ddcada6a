import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { inTransaction, openDatabase, openPool } from '../../src/db/database.ts'
import { isConnectionLoss } from '../../src/util/has-code.ts'
import { type Log, silentLog } from '../../src/util/log.ts'
import { createTestDatabase } from '../support/database/database.ts'

describe('a database', () => {
  test('STORE-02 a URL and a socket reach the same database', async () => {
    await using database = await createTestDatabase()
    await using byUrl = openDatabase({ url: database.url })
    const { rows } = await byUrl.pool.query('select current_database() as name')
    expect(rows).toEqual([{ name: database.connection.database }])
  })

  test('STORE-02 8-byte integers are returned as numbers, and refused beyond the safe range', async () => {
    await using database = await createTestDatabase()
    const { rows } = await database.pool.query('select 9007199254740991::int8 as n')
    expect(rows).toEqual([{ n: Number.MAX_SAFE_INTEGER }])
    await expect(database.pool.query('select 9007199254740993::int8')).rejects.toThrow('too large')
  })

  test('STORE-02 gives times as dates, whole to the millisecond', async () => {
    await using database = await createTestDatabase()
    const at = new Date('2026-11-21T10:11:12.345Z')
    const { rows } = await database.pool.query('select $1::timestamptz as at', [at])
    expect(rows).toEqual([{ at }])
  })

  test('STORE-02 a pool with a search path resolves unqualified names in it', async () => {
    await using database = await createTestDatabase()
    await database.pool.query('create schema apart; create table apart.thing (n int)')
    const pool = openPool(database.connection, { searchPath: 'apart' })
    await expect(pool.query('select n from thing')).resolves.toMatchObject({ rowCount: 0 })
    await pool.end()
  })

  test('STORE-04 a connection that breaks while idle is logged and replaced', async () => {
    await using database = await createTestDatabase()
    const warn = vi.fn()
    const log: Log = { ...silentLog, warn }
    await using own = openDatabase(database.connection, { log, max: 1 })
    const { rows } = await own.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
    await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await vi.waitFor(() => expect(warn).toHaveBeenCalled(), { timeout: 20_000 })
    await expect(own.pool.query('select 1')).resolves.toMatchObject({ rowCount: 1 })
  })
})

describe('a transaction', () => {
  test('STORE-04 CHAT-06 a connection that breaks between two statements fails like an unavailable server', async () => {
    await using database = await createTestDatabase()
    await using own = openDatabase(database.connection, { max: 1 })
    const lost = Promise.withResolvers<unknown>()
    own.pool.once('connect', (client) => client.once('error', lost.resolve))
    const broken = inTransaction(own.db, async (db) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
      await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
      await lost.promise
      await sql`select 1`.execute(db)
    })
    const error: unknown = await broken.catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('is not queryable')
    expect(isConnectionLoss(error)).toBe(true)
  })

  test.each(['40001', '40P01'])('STORE-02 it is run again after error %s', async (code) => {
    await using database = await createTestDatabase()
    await database.pool.query('create table tried (n int)')
    let tries = 0
    const answer = await inTransaction(database.db, async (db) => {
      tries++
      await sql`insert into tried values (${tries})`.execute(db)
      if (tries < 3) await fail(code).execute(db)
      return 'done'
    })
    expect(answer).toBe('done')
    const { rows } = await database.pool.query('select n from tried')
    expect(rows).toEqual([{ n: 3 }])
  })

  test('STORE-02 it is given up after five tries', async () => {
    await using database = await createTestDatabase()
    const work = vi.fn(async (db) => {
      await fail('40001').execute(db)
    })
    await expect(inTransaction(database.db, work)).rejects.toMatchObject({ code: '40001' })
    expect(work).toHaveBeenCalledTimes(5)
  })

  test('STORE-02 it is not run again after any other error', async () => {
    await using database = await createTestDatabase()
    const work = vi.fn(async (db) => {
      await fail('23505').execute(db)
    })
    await expect(inTransaction(database.db, work)).rejects.toMatchObject({ code: '23505' })
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('STORE-02 two transactions that deadlock both succeed', async () => {
    await using database = await createTestDatabase()
    await database.pool.query('create table pair (id int primary key, n int)')
    await database.pool.query('insert into pair values (1, 0), (2, 0)')
    const both = Promise.withResolvers<void>()
    let arrived = 0
    const touch = (first: number, second: number) =>
      inTransaction(database.db, async (db) => {
        await sql`update pair set n = n + 1 where id = ${first}`.execute(db)
        if (++arrived === 2) both.resolve()
        await both.promise
        await sql`update pair set n = n + 1 where id = ${second}`.execute(db)
      })
    await Promise.all([touch(1, 2), touch(2, 1)])
    const { rows } = await database.pool.query('select n from pair')
    expect(rows).toEqual([{ n: 2 }, { n: 2 }])
  })
})

function fail(code: string) {
  return sql`do ${sql.raw(`$$ begin raise exception using errcode = '${code}'; end $$`)}`
}
