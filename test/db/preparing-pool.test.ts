import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { inTransaction, openDatabase } from '../../src/db/database.ts'
import type { Schema } from '../../src/db/schema.ts'
import { ensureConversation } from '../../src/db/turn/conversations.ts'
import { ensureSession } from '../../src/db/turn/sessions.ts'
import { createTestDatabase } from '../support/database/database.ts'

const prepared = sql<{ statement: string }>`select statement from pg_prepared_statements`

describe('statements', () => {
  test('PERF-03 statements with parameters are prepared once on each connection; others are not', async () => {
    await using database = await createTestDatabase()
    await using own = openDatabase(database.connection, { max: 1 })
    for (const n of [1, 2, 3]) await sql`select ${n}::int as n`.execute(own.db)
    await sql`select 1 as n`.execute(own.db)
    const { rows } = await prepared.execute(own.db)
    expect(rows).toEqual([{ statement: 'select $1::int as n' }])
  })

  test('PERF-03 the number of prepared statements is bounded', async () => {
    await using database = await createTestDatabase()
    await using own = openDatabase(database.connection, { max: 1 })
    for (let n = 0; n < 450; n += 1) {
      const text = sql.raw(`as n${n}`)
      const { rows } = await sql`select ${n}::int ${text}`.execute(own.db)
      expect(rows).toEqual([{ [`n${n}`]: n }])
    }
    expect((await prepared.execute(own.db)).rows).toHaveLength(400)
  })

  test('STORE-02 a transaction whose prepared statements were outdated by a migration continues on a new connection', async () => {
    await using database = await createTestDatabase()
    await using own = openDatabase(database.connection, { max: 1 })
    await database.pool.query('create table thing (a int); insert into thing values (1)')
    const read = sql`select * from thing where a = ${1}`
    expect((await read.execute(own.db)).rows).toEqual([{ a: 1 }])
    await database.pool.query('alter table thing add column b int')
    const { rows } = await inTransaction(own.db, (db) => read.execute(db))
    expect(rows).toEqual([{ a: 1, b: null }])
  })

  test('STORE-02 a single statement that was outdated by a migration fails once', async () => {
    await using database = await createTestDatabase()
    await using own = openDatabase(database.connection, { max: 1 })
    await database.pool.query('create table thing (a int); insert into thing values (1)')
    const read = sql`select * from thing where a = ${1}`
    await read.execute(own.db)
    await database.pool.query('alter table thing add column b int')
    await expect(read.execute(own.db)).rejects.toThrow('cached plan')
    expect((await read.execute(own.db)).rows).toEqual([{ a: 1, b: null }])
  })

  test('LOOP-01 PERF-03 opening a session works with a generic plan', async () => {
    await using database = await createTestDatabase()
    await using own = openDatabase<Schema>(database.connection, { max: 1 })
    await sql`set plan_cache_mode = force_generic_plan`.execute(own.db)
    const { id } = await ensureConversation(own.db, 'test', 'room')
    const session = await ensureSession(own.db, id, 'default')
    expect(session).toMatchObject({ conversation_id: id, state: 'open' })
    expect(await ensureSession(own.db, id, 'default')).toEqual(session)
  })
})
