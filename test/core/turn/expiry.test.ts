import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import { endExpired, sweep } from '../../../src/core/turn/sweep.ts'
import type { Card } from '../../../src/domain/approval.ts'
import { english } from '../../../src/domain/messages/messages.ts'
import {
  ada,
  type BenchContext,
  createBenchContext,
  showCards,
} from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const longAgo = new Date(0)
const hourMs = 3_600_000
const command = (text: string) => toRequest('bash', { command: text })

/** Two questions and a read that a worker has; the first question has just expired. */
async function expired(onExpiry: 'deny' | 'wait' | 'stop'): Promise<BenchContext> {
  const model = createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'user'
      ? calls([toRequest('read', { path: 'a' }), command('one'), command('two')])
      : say('done'),
  )
  const bench = await createBenchContext(model, { onExpiry, approvalTtlMs: hourMs })
  await bench.say('hi')
  await bench.step()
  await expire(bench)
  return bench
}

async function expire(bench: BenchContext): Promise<void> {
  await bench.database.db
    .updateTable('approval')
    .set({ expires_at: longAgo })
    .where('number', '=', 1)
    .execute()
}

async function questions(bench: BenchContext) {
  const rows = await bench.database.db
    .selectFrom('approval')
    .selectAll()
    .orderBy('number')
    .execute()
  const [first, second] = rows.map((row) => ({ ...row, card: JSON.parse(row.card) as Card }))
  if (first === undefined || second === undefined) throw new Error('two questions were expected')
  return { first, second }
}

const reminders = async (bench: BenchContext) =>
  (await bench.notices()).filter((text) => text.includes('still waiting'))

describe('where an expired question is denied', () => {
  test('APPR-19 APPR-08 the others stay, the turn goes on', async () => {
    await using bench = await expired('deny')
    await sweep(bench.ctx, longAgo)
    const { first, second } = await questions(bench)
    expect([first.state, second.state]).toEqual(['expired', 'pending'])
    expect((await bench.calls())[1]).toMatchObject({
      state: 'denied',
      result: expect.stringContaining('nobody approved it in time'),
    })
  })
})

describe('where an expired question stays', () => {
  test('APPR-19 it waits for as long again: the card names the new time, one reminder says it', async () => {
    await using bench = await expired('wait')
    await sweep(bench.ctx, longAgo)
    await sweep(bench.ctx, longAgo)
    const { first } = await questions(bench)
    expect(first.state).toBe('pending')
    expect(first.expires_at.getTime() - Date.now()).toBeGreaterThan(hourMs - 60_000)
    expect(first.card).toMatchObject({
      expiresAt: first.expires_at.toISOString(),
      status: { kind: 'waiting' },
    })
    const until = english.clock.day(first.expires_at, new Date())
    expect(await reminders(bench)).toEqual([
      `Approval 1 (bash) is still waiting for an answer, until ${until}. /approvals shows the card again.`,
    ])
    const edits = await bench.database.db
      .selectFrom('outbox')
      .select('body')
      .where('edit_of', '=', first.card_outbox_id)
      .execute()
    expect(edits.map((row) => JSON.parse(row.body).card.expiresAt)).toEqual([first.card.expiresAt])
  })

  test('APPR-19 INT-39 a reminder comes once each time, also from two agents at once', async () => {
    await using bench = await expired('wait')
    for (let round = 1; round <= 3; round += 1) {
      await expire(bench)
      await Promise.all([endExpired(bench.ctx), endExpired(bench.another())])
      await sweep(bench.ctx, longAgo)
      expect(await reminders(bench)).toHaveLength(round)
    }
  })

  test('APPR-19 INT-5 it can be answered before the sweeper moved it on', async () => {
    await using bench = await expired('wait')
    const { first } = await questions(bench)
    await showCards(bench.database.db)
    const decided = await decide(bench.ctx, first.id, ada, { kind: 'approve' })
    expect(decided.kind).toBe('applied')
    await sweep(bench.ctx, longAgo)
    expect((await questions(bench)).first.state).toBe('approved')
    expect(await reminders(bench)).toEqual([])
  })

  test('APPR-19 INT-5 a tap and the sweeper at once: it is answered, whoever was first', async () => {
    await using bench = await expired('wait')
    const { first } = await questions(bench)
    await showCards(bench.database.db)
    const [decided] = await Promise.all([
      decide(bench.ctx, first.id, ada, { kind: 'approve' }),
      sweep(bench.ctx, longAgo),
      sweep(bench.another(), longAgo),
    ])
    expect(decided.kind).toBe('applied')
    expect((await questions(bench)).first).toMatchObject({
      state: 'approved',
      card: { status: { kind: 'approved' } },
    })
  })
})

describe('where an expired question stops the turn', () => {
  test('APPR-19 cards and calls are closed up, what runs is cancelled, the person is told', async () => {
    await using bench = await expired('stop')
    await sweep(bench.ctx, longAgo)
    const { first, second } = await questions(bench)
    expect([first.state, second.state]).toEqual(['expired', 'cancelled'])
    expect(first.card.status.kind).toBe('expired')
    expect(second.card.status).toEqual({ kind: 'cancelled', why: 'an approval expired' })
    const rows = await bench.calls()
    expect(rows.map((row) => row.state)).toEqual(['queued', 'cancelled', 'cancelled'])
    expect(rows[1]?.result).toContain('an approval expired')
    expect(rows[0]?.cancel_requested_at).not.toBeNull()
    expect(bench.cancels).toHaveLength(1)
    const turn = await bench.database.db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
    expect(turn).toMatchObject({ state: 'stopped', stopped_by: null, next_due: null })
    expect((await bench.notices()).filter((text) => text.includes('expired unanswered'))).toEqual([
      'Approval 1 (bash) expired unanswered, so the turn was stopped. Write again to continue.',
    ])
  })

  test('APPR-19 INT-39 two agents’ sweeps stop it once, and later taps are told why', async () => {
    await using bench = await expired('stop')
    await Promise.all([endExpired(bench.ctx), endExpired(bench.another())])
    await sweep(bench.ctx, longAgo)
    const { first, second } = await questions(bench)
    expect((await bench.notices()).filter((text) => text.includes('unanswered'))).toHaveLength(1)
    const late = async (id: string) => (await decide(bench.ctx, id, ada, { kind: 'approve' })).text
    expect(await late(first.id)).toMatch(/^This approval expired at/)
    expect(await late(second.id)).toMatch(/^Cancelled at .*: an approval expired\.$/)
  })

  test('APPR-19 TG-03 what was denied in the same turn stays denied', async () => {
    await using bench = await expired('stop')
    const { second } = await questions(bench)
    await decide(bench.ctx, second.id, ada, { kind: 'deny', mayExplain: true })
    await sweep(bench.ctx, longAgo)
    expect((await bench.calls()).map((row) => row.state)).toEqual(['queued', 'cancelled', 'denied'])
    expect((await questions(bench)).second.card.status).toMatchObject({ kind: 'denied', by: 'Ada' })
  })

  test('APPR-19 APPR-09 what was written meanwhile, and promised to be read, gets its turn', async () => {
    await using bench = await expired('stop')
    await bench.say('use the other one')
    await sweep(bench.ctx, longAgo)
    const states = await bench.database.db
      .selectFrom('turn')
      .select('state')
      .orderBy('created_at')
      .execute()
    expect(states.map((row) => row.state)).toEqual(['stopped', 'queued'])
  })
})

test('APPR-08 APPR-19 the reminder of remind_after names the tool, the number, until when, and how to see the card', async () => {
  await using bench = await createBenchContext(createScriptedModel([calls([command('one')])]), {
    remindAfterMs: 60_000,
  })
  await bench.say('hi')
  await bench.step()
  await bench.database.db.updateTable('approval').set({ remind_at: longAgo }).execute()
  await Promise.all([sweep(bench.ctx, longAgo), sweep(bench.another(), longAgo)])
  await sweep(bench.ctx, longAgo)
  const sent = await reminders(bench)
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatch(
    /^Approval 1 \(bash\) .*until \d+ [A-Z][a-z]{2} (?:\d{4} )?\d\d:\d\d UTC.*\/approvals/,
  )
})
