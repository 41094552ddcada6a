import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Database, inTransaction, openDatabase } from '../../src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'

interface Place extends AsyncDisposable {
  readonly database: TestDatabase
  readonly own: Database<unknown>
}

async function place(): Promise<Place> {
  const resources = new AsyncDisposableStack()
  const database = resources.use(await createTestDatabase())
  const own = resources.use(openDatabase<unknown>(database.connection, { max: 1 }))
  await database.pool.query('create table thing (a int primary key)')
  return { database, own, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function things({ database }: Place): Promise<unknown[]> {
  const { rows } = await database.pool.query('select a from thing order by a')
  return rows.map(({ a }) => a)
}

const insert = (a: number) => sql`insert into thing values (${a})`

describe('a transaction without begin and commit', () => {
  test('SHIP-07 commits all of its statements at its end, and none before', async () => {
    await using at = await place()
    await inTransaction(at.own.db, async (db) => {
      await insert(1).execute(db)
      expect(await things(at)).toEqual([])
      await insert(2).execute(db)
      const seen = await sql`select a from thing order by a`.execute(db)
      expect(seen.rows).toEqual([{ a: 1 }, { a: 2 }])
    })
    expect(await things(at)).toEqual([1, 2])
  })

  test('SHIP-07 undoes all of them when the work throws', async () => {
    await using at = await place()
    const work = inTransaction(at.own.db, async (db) => {
      await insert(1).execute(db)
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await things(at)).toEqual([])
    await insert(3).execute(at.own.db)
    expect(await things(at)).toEqual([3])
  })

  test('SHIP-07 runs nothing and commits nothing after a statement that failed, even if the work goes on', async () => {
    await using at = await place()
    const work = inTransaction(at.own.db, async (db) => {
      await insert(1).execute(db)
      await expect(insert(1).execute(db)).rejects.toThrow('duplicate key')
      await expect(insert(2).execute(db)).rejects.toThrow('has failed already')
    })
    await expect(work).rejects.toThrow()
    expect(await things(at)).toEqual([])
    await inTransaction(at.own.db, (db) => insert(4).execute(db))
    expect(await things(at)).toEqual([4])
  })

  test('SHIP-07 commits nothing when a value cannot be sent', async () => {
    await using at = await place()
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    const work = inTransaction(at.own.db, async (db) => {
      await insert(1).execute(db)
      await sql`select ${loop}::json`.execute(db)
    })
    await expect(work).rejects.toThrow('circular')
    expect(await things(at)).toEqual([])
    await inTransaction(at.own.db, (db) => insert(5).execute(db))
    expect(await things(at)).toEqual([5])
  })

  test('SHIP-07 tells of an error that only the commit finds', async () => {
    await using at = await place()
    await at.database.pool.query(
      'create table part (a int references thing deferrable initially deferred)',
    )
    const work = inTransaction(at.own.db, (db) => sql`insert into part values (${9})`.execute(db))
    await expect(work).rejects.toThrow('violates foreign key')
    await inTransaction(at.own.db, (db) => insert(6).execute(db))
    expect(await things(at)).toEqual([6])
  })

  test('SHIP-07 holds its locks until it ends, and sees what was committed while it waited for them', async () => {
    await using at = await place()
    await using other = openDatabase<unknown>(at.database.connection, { max: 1 })
    await insert(1).execute(at.own.db)
    const locked = Promise.withResolvers<void>()
    const first = inTransaction(at.own.db, async (db) => {
      await sql`select a from thing where a = ${1} for update`.execute(db)
      locked.resolve()
      await untilBlocked(at)
      await insert(2).execute(db)
    })
    await locked.promise
    const seen = await inTransaction(other.db, async (db) => {
      await sql`select a from thing where a = ${1} for update`.execute(db)
      return sql`select a from thing order by a`.execute(db)
    })
    await first
    expect(seen.rows).toEqual([{ a: 1 }, { a: 2 }])
  })

  test('SHIP-07 is undone by the server when its connection breaks', async () => {
    await using at = await place()
    const work = inTransaction(at.own.db, async (db) => {
      await insert(1).execute(db)
      await at.database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
      await insert(2).execute(db)
    })
    await expect(work).rejects.toThrow()
    expect(await things(at)).toEqual([])
    await inTransaction(at.own.db, (db) => insert(7).execute(db))
    expect(await things(at)).toEqual([7])
  })
})

async function untilBlocked({ database }: Place): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await database.pool.query('select 1 from pg_locks where not granted')
      return rows.length
    })
    .toBeGreaterThan(0)
}
