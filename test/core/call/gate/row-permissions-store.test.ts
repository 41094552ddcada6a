import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRowPermissions } from '../../../../src/core/call/gate/file-rules.ts'
import { inTransaction, openDatabase } from '../../../../src/db/database.ts'
import type { Db, Schema } from '../../../../src/db/schema.ts'
import {
  permissionsStoreContract,
  type RulesPlace,
  seed,
} from '../../../contract/permissions-store.ts'
import { createTestDatabase } from '../../../support/database/database.ts'

const create = () => createRowPermissions({ seed: async () => seed })

permissionsStoreContract('rows of PostgreSQL', async (): Promise<RulesPlace> => {
  const database = await createTestDatabase()
  const { db } = database
  return {
    open: () => create()(db),
    kept: async (worker) => (await rowOf(db, worker))?.text,
    edit: async (worker, text) => {
      await sql`insert into worker_permissions (worker, text) values (${worker}, ${text})
        on conflict (worker) do update set text = excluded.text`.execute(db)
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
})

function rowOf(db: Db, worker: string) {
  return db
    .selectFrom('worker_permissions')
    .selectAll()
    .where('worker', '=', worker)
    .executeTakeFirst()
}

test('GATE-04 a load within a transaction takes no second connection', async () => {
  await using database = await createTestDatabase()
  await using one = openDatabase<Schema>(database.connection, { max: 1 })
  const over = create()
  const texts = await Promise.all(
    Array.from({ length: 5 }, () =>
      inTransaction(one.db, async (trx) => {
        await sql`select 1`.execute(trx)
        return (await over(trx).load('main')).text
      }),
    ),
  )
  expect(texts).toEqual(Array(5).fill(seed))
})

test('GATE-04 an edit that committed while a transaction ran is in its next load, one that was rolled back in none', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const over = create()
  const { version } = await over(db).load('main')
  await inTransaction(db, async (trx) => {
    expect((await over(trx).load('main')).text).toBe(seed)
    expect(await create()(db).save('main', version, '{"*": "deny"}')).toBe(true)
    expect((await over(trx).load('main')).text).toBe('{"*": "deny"}')
  })
  const undone = inTransaction(db, async (trx) => {
    const loaded = await over(trx).load('main')
    expect(await over(trx).save('main', loaded.version, '{"*": "allow"}')).toBe(true)
    expect((await over(trx).load('main')).text).toBe('{"*": "allow"}')
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  expect((await over(db).load('main')).text).toBe('{"*": "deny"}')
})

test('GATE-04 rules that were removed and made again are not taken for those before', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const store = create()(db)
  const before = await store.load('main')
  await sql`delete from worker_permissions`.execute(db)
  await sql`insert into worker_permissions (worker, text) values ('main', '{"*": "deny"}')`.execute(
    db,
  )
  expect((await store.load('main')).text).toBe('{"*": "deny"}')
  expect(await store.save('main', before.version, '{}')).toBe(false)
})

test('GATE-04 AUD-01 who changed them and when stands in the row, and the last hundred texts before are kept', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const store = create()(db)
  const first = await store.load('main')
  for (let change = 1; change <= 103; change += 1) {
    const { version } = await store.load('main')
    expect(await store.save('main', version, `{} // ${change}`, `console:${change}`)).toBe(true)
  }
  expect(await rowOf(db, 'main')).toMatchObject({ text: '{} // 103', updated_by: 'console:103' })
  const past = await db
    .selectFrom('worker_permissions_past')
    .selectAll()
    .orderBy('version')
    .execute()
  expect(past).toHaveLength(100)
  expect(past[0]).toMatchObject({ text: '{} // 3', updated_by: 'console:3' })
  expect(past.at(-1)).toMatchObject({ text: '{} // 102', updated_by: 'console:102' })
  expect(Number(first.version)).toBeLessThan(past[0]?.version ?? 0)
})

test('GATE-04 a text that is known is not sent again', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const store = create()(db)
  const big = `{} // ${'x'.repeat(500_000)}`
  const { version } = await store.load('main')
  await store.save('main', version, big)
  await store.load('main')
  const sizes: number[] = []
  const watched = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      sizes.push(JSON.stringify(result.rows).length)
      return result
    },
  })
  const over = create()
  await over(watched).load('main')
  await over(watched).load('main')
  expect(sizes[0]).toBeGreaterThan(500_000)
  expect(sizes[1]).toBeLessThan(200)
  expect(sizes).toHaveLength(2)
})
