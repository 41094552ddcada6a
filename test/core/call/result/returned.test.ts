import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { ToolCallRow } from '../../../../src/db/schema.ts'
import type { CallOutcome } from '../../../../src/rules/jobs/contract.ts'
import { type BenchContext, createBenchContext, ok } from '../../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../../support/scripted-model.ts'

const expired: CallOutcome = { kind: 'refused', why: 'it has expired' }

/** A turn whose one call is at the worker. */
async function begin(): Promise<BenchContext> {
  const model = createScriptedModel([call('write', { path: 'a', content: 'x' }), say('done')])
  const bench = await createBenchContext(model)
  await bench.say('hi')
  await bench.step()
  return bench
}

async function only(bench: BenchContext): Promise<ToolCallRow> {
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  return row
}

async function age(bench: BenchContext, minutes: number): Promise<void> {
  await sql`update tool_call set queued_at = queued_at - make_interval(mins => ${minutes})`.execute(
    bench.database.db,
  )
}

/** The worker answers that its job expired, and the turn goes on. */
async function refuse(bench: BenchContext): Promise<ToolCallRow> {
  const row = await only(bench)
  await bench.result(row, expired, row.attempt)
  await bench.step()
  return only(bench)
}

test('DECISION-15 a call whose job expires at a busy worker is judged and sent again as often as that takes', async () => {
  await using bench = await begin()
  for (let times = 1; times <= 8; times += 1) {
    await age(bench, 17)
    expect(await refuse(bench)).toMatchObject({ state: 'queued', attempt: times + 1 })
  }
  expect(bench.jobs).toHaveLength(9)
})

test('DECISION-15 INT-40 one that is refused while its job is good ends the fifth time, and the call is not said to be at fault', async () => {
  await using bench = await begin()
  for (let times = 1; times <= 4; times += 1) {
    expect(await refuse(bench)).toMatchObject({ state: 'queued', attempt: times + 1 })
  }
  const row = await refuse(bench)
  expect(row).toMatchObject({ state: 'failed', error_category: 'server_error' })
  expect(bench.jobs).toHaveLength(5)
})

test.each([
  ['said to have started', (bench: BenchContext, row: ToolCallRow) => bench.started(row)],
  ['sent half a day ago', (bench: BenchContext) => age(bench, 13 * 60)],
])(
  'INT-11 THREAT-3 a call that was %s is not begun again, whatever a journal has forgotten',
  async (_what, happen) => {
    await using bench = await begin()
    await happen(bench, await only(bench))
    expect(await refuse(bench)).toMatchObject({
      state: 'interrupted',
      attempt: 1,
      result: expect.stringContaining('may have had effects'),
    })
    expect(bench.jobs).toHaveLength(1)
  },
)

test('LOOP-14 a call that is to be cancelled and was never begun is cancelled, whatever its worker says', async () => {
  await using bench = await begin()
  const row = await only(bench)
  await bench.say('/stop')
  await bench.result(row, expired)
  expect(await only(bench)).toMatchObject({ state: 'cancelled', error_category: 'cancelled' })
})

test('INT-13 THREAT-3 REL-03 a result that is said over and over is recorded as late once, and told once', async () => {
  await using bench = await begin()
  const row = await only(bench)
  await bench.started(row)
  await sql`update worker set seen_at = now() - interval '1 minute'`.execute(bench.database.db)
  await bench.result(row, { kind: 'interrupted' })
  for (let times = 0; times < 10; times += 1) await bench.result(row, ok)
  expect(await bench.auditKinds()).toEqual(['decided', 'settled', 'late_result'])
  const told = (await bench.notices()).filter((text) => text.includes('finished after all'))
  expect(told).toHaveLength(1)
  expect((await only(bench)).state).toBe('interrupted')
})

test('PROC-02 THREAT-5 an answer to an attempt that was never sent is dropped', async () => {
  await using bench = await begin()
  const row = await only(bench)
  await bench.result(row, ok, 2)
  expect(await only(bench)).toMatchObject({ state: 'queued', attempt: 1 })
  expect(await bench.auditKinds()).toEqual(['decided', 'dropped_result'])
})
