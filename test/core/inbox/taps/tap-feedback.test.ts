import { expect, test } from 'vitest'
import { type BenchContext, bob, createBenchContext } from '../../../support/bench-context.ts'
import { createScriptedModel, say } from '../../../support/scripted-model.ts'

/** Answers of which people may say something. */
async function answered(count: number, messagesPerMinute?: number) {
  const answers = Array.from({ length: count }, () => say('Here you are.'))
  const settings = messagesPerMinute === undefined ? {} : { messagesPerMinute }
  const bench = await createBenchContext(createScriptedModel(answers), settings)
  for (let turn = 0; turn < count; turn += 1) {
    await bench.say('go')
    await bench.step()
  }
  const turns = await bench.database.db.selectFrom('turn').select('id').execute()
  return Object.assign(bench, { turns: turns.map(({ id }) => id) })
}

type Verdict = 'good' | 'bad'

async function tap(bench: BenchContext, turnId = '', verdict: Verdict = 'good', as = bob) {
  const body = { kind: 'feedback', turnId, verdict } as const
  await bench.act(body, as)
  const { answer } = await bench.database.db
    .selectFrom('inbound_event')
    .select('answer')
    .orderBy('arrival', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return JSON.parse(answer ?? '{}').text
}

async function said({ database }: BenchContext): Promise<readonly string[]> {
  const rows = await database.db
    .selectFrom('audit_log')
    .select('body')
    .where('kind', '=', 'feedback')
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => JSON.parse(body).note)
}

test('SLACK-05 CHAT-02 THREAT-28 who says the same of an answer again writes no row, and who says the other does', async () => {
  await using bench = await answered(2)
  const [one, two] = bench.turns
  for (let time = 0; time < 5; time += 1) expect(await tap(bench, one)).toBe('Thank you.')
  expect(await said(bench)).toEqual(['good'])
  await tap(bench, one, 'bad')
  await tap(bench, one, 'bad')
  await tap(bench, two, 'bad')
  expect(await said(bench)).toEqual(['good', 'bad', 'bad'])
})

test('SLACK-05 CHAT-02 THREAT-28 of one answer a person says ten things, and no more', async () => {
  await using bench = await answered(1)
  const [turn] = bench.turns
  for (let time = 0; time < 30; time += 1) await tap(bench, turn, time % 2 === 0 ? 'good' : 'bad')
  expect(await said(bench)).toHaveLength(10)
  expect(await tap(bench, turn, 'good')).toMatch(/^Too many ratings/)
})

test('SLACK-05 REL-03 THREAT-28 within a minute a person says as much of answers as they may write messages; others are not held up', async () => {
  await using bench = await answered(4, 3)
  for (const turn of bench.turns) await tap(bench, turn, 'bad')
  expect(await said(bench)).toHaveLength(3)
  expect(await tap(bench, bench.turns[3])).toMatch(/^Too many requests/)
  const eve = { id: 'test:eve', name: 'Eve', role: 'approver' } as const
  expect(await tap(bench, bench.turns[3], 'good', eve)).toBe('Thank you.')
  expect(await said(bench)).toHaveLength(4)
})
