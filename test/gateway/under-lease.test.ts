import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/schema.ts'
import { underLease } from '../../src/gateway/under-lease.ts'
import { silentLog } from '../../src/util/log.ts'
import { createTestDatabase } from '../support/database/database.ts'
import { until } from '../support/flow.ts'

/** One that wants the lease, noting when it holds it. */
function contender(db: Db, owner: string, log: string[], waits: string[] = []) {
  const ending = new AbortController()
  const { signal } = ending
  const onStandby = () => void waits.push(owner)
  const options = { db, name: 'poll', owner, log: silentLog, signal, onStandby }
  const ended = underLease(options, async (signal) => {
    log.push(`${owner} begins`)
    while (!signal.aborted) await delay(20, undefined, { signal }).catch(() => undefined)
    log.push(`${owner} ends`)
  })
  return { ended, end: () => ending.abort() }
}

describe('a lease', () => {
  test('TG-01 one of two gateways polls; the other takes over when it ends', async () => {
    await using database = await createTestDatabase()
    const log: string[] = []
    const waits: string[] = []
    const first = contender(database.db, 'first', log, waits)
    await until('the first holds it', () => log.length === 1)
    const second = contender(database.db, 'second', log, waits)
    await until('the second stands by', () => waits.length > 0)
    await delay(2_500)
    expect(log).toEqual(['first begins'])
    // Told once, however often it asks.
    expect(waits).toEqual(['second'])
    first.end()
    await until('the second took over', () => log.length === 3)
    expect(log).toEqual(['first begins', 'first ends', 'second begins'])
    second.end()
    await Promise.all([first.ended, second.ended])
    expect(await database.db.selectFrom('lease').selectAll().execute()).toEqual([])
  })

  test('TG-01 a holder that died is followed when its time has run out, not before', async () => {
    await using database = await createTestDatabase()
    const { db } = database
    const held_until = new Date(Date.now() + 3_000)
    await db.insertInto('lease').values({ name: 'poll', owner: 'dead', held_until }).execute()
    const log: string[] = []
    const next = contender(db, 'next', log)
    await until('it took over', () => log.length === 1)
    expect(Date.now()).toBeGreaterThanOrEqual(held_until.getTime())
    next.end()
    await next.ended
  })

  test('TG-01 a holder whose lease went to another stops before it does anything more', async () => {
    await using database = await createTestDatabase()
    const { db } = database
    const log: string[] = []
    const waits: string[] = []
    const holder = contender(db, 'holder', log, waits)
    await until('it holds it', () => log.length === 1)
    await db
      .updateTable('lease')
      .set({ owner: 'thief', held_until: new Date(Date.now() + 60_000) })
      .execute()
    await until('it stopped', () => log.includes('holder ends'))
    await until('it says that it stands by', () => waits.length === 1)
    holder.end()
    await holder.ended
    expect(await db.selectFrom('lease').select('owner').execute()).toEqual([{ owner: 'thief' }])
  })
})
