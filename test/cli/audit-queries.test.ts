import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { newId } from '../../src/util/new-id.ts'
import { createTestDatabase } from '../support/database.ts'
import { recordedSession } from './recorded-calls.ts'

test('AUD-03 every query in the docs runs, and those about calls find them', async () => {
  await using database = await createTestDatabase()
  const { call, row } = recordedSession(database.db)
  await call()
  await call({
    verdict: 'ask',
    decided_by: 'console:bob',
    result: 'error',
    error_category: 'other',
  })
  const trace = [{ check: 'shell', action: 'deny', reason: 'it says so' }] as const
  const call_id = newId()
  await row({ kind: 'decided', call_id, verdict: 'deny', trace })
  await row({ kind: 'settled', call_id, result: 'blocked' })
  await row({ kind: 'dropped_result', note: 'it was forged' })
  const counts: number[] = []
  for (const query of await documentedQueries()) {
    counts.push((await database.pool.query(query)).rows.length)
  }
  expect(counts).toEqual([3, 0, 1, 1, 1, 0, 1, 0, 1, 0])
})

async function documentedQueries(): Promise<readonly string[]> {
  const docs = await readFile(new URL('../../docs/audit.md', import.meta.url), 'utf8')
  return [...docs.matchAll(/```sql\n(.*?)```/gs)].map(([, query = '']) => query)
}
