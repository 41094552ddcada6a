import { describe, expect, test } from 'vitest'
import { type NamedStatement, runLean } from '../../../src/adapters/queue/lean-commands.ts'

const nothing = { rows: [], rowCount: 0 }
const add = 'SELECT add_job($1, $2) AS id;'
const take = '-- Claim the next job.\nSELECT * FROM move_to_active($1, $2);'
const plain = ['turns', 'id-x', 'job', '{}', '{}', 0, 0, 1, 1, null, null, null, null, null, false]

describe('SHIP-07 commands of BullMQ', () => {
  test('that add a plain job or take one are sent as one statement with the values that it uses', async () => {
    const sent: NamedStatement[] = []
    const query = async (statement: NamedStatement) => {
      sent.push(statement)
      return nothing
    }
    expect(await runLean(add, plain, query)).toBe(nothing)
    expect(await runLean(take, ['turns', 'token', 30_000, 1, null, null, null], query)).toBe(
      nothing,
    )
    expect(sent.map(({ name, values }) => ({ name, values }))).toEqual([
      { name: 'lean_add_job', values: ['turns', 'id-x', 'job', '{}', '{}', 1, 1] },
      { name: 'lean_move_to_active', values: ['turns', 'token', 30_000, 1, null] },
    ])
  })

  test.each([
    ['a delay', plain.with(6, 1_000)],
    ['a priority', plain.with(5, 1)],
    ['a parent', plain.with(10, 'parent')],
    ['deduplication', plain.with(12, 'key')],
    ['an id to be made', plain.with(1, '')],
  ])('that add a job with %s stay BullMQ’s own', async (_what, values) => {
    expect(await runLean(add, values, () => Promise.reject(new Error('sent')))).toBeUndefined()
  })

  test('that end a job are BullMQ’s own where the job is not held any more, or is kept', async () => {
    const text = 'SELECT move_to_completed($1) AS finished_on;'
    const end = ['turns', 'id-x', 'token', 'null', 1, true, null, null]
    expect(await runLean(text, end, () => Promise.resolve(nothing))).toBeUndefined()
    const kept = end.with(5, false)
    expect(await runLean(text, kept, () => Promise.reject(new Error('sent')))).toBeUndefined()
  })

  test('that end one job and take the next one tell a job that ended from a job that came', async () => {
    const text = 'SELECT * FROM move_to_completed_fetch($1);'
    const both = [
      'turns',
      'id-x',
      'token',
      'null',
      1,
      true,
      null,
      null,
      30_000,
      1,
      null,
      null,
      null,
    ]
    const answer = (rows: unknown[]) => runLean(text, both, async () => ({ rows, rowCount: 1 }))
    expect(await answer([])).toBeUndefined()
    expect((await answer([{ id: null }]))?.rows).toEqual([])
    expect((await answer([{ id: 'next' }]))?.rows).toEqual([{ id: 'next' }])
  })
})
