import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import { sendDigest } from '../../../src/core/approval/send-digest.ts'
import { readCard } from '../../../src/core/card/read-card.ts'
import type { Decision } from '../../../src/domain/approval.ts'
import { newId } from '../../../src/util/ids.ts'
import {
  ada,
  type BenchContext,
  bob,
  createBenchContext,
  eve,
  ok,
  showCards,
} from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const learnAfter = 3

/** The model asks for the command in the message. */
const obeys = () =>
  createScriptedModel((request) => {
    const last = request.messages.at(-1)
    if (last?.role !== 'user') return say('done')
    return calls([toRequest('bash', { command: last.text })])
  })

const open = (settings = {}) => createBenchContext(obeys(), { learnAfter, ...settings })

async function approvals({ database }: BenchContext) {
  return database.db.selectFrom('approval').selectAll().orderBy('number').execute()
}

async function firstPlace(bench: BenchContext) {
  const [first] = await approvals(bench)
  if (first === undefined) throw new Error('nothing was asked')
  return { session_id: first.session_id, conversation_id: first.conversation_id }
}

/** Asks for a command and answers; returns the card as it was asked. */
async function ask(bench: BenchContext, command: string, decision?: Decision, by = eve) {
  await bench.say(command)
  await bench.step()
  await showCards(bench.database.db)
  const approval = (await approvals(bench)).at(-1)
  if (approval === undefined) throw new Error('nothing was asked')
  if (decision !== undefined) {
    await decide(bench.ctx, approval.id, by, decision)
    for (let round = 0; round < 4; round += 1) {
      await bench.step()
      for (const call of await bench.calls()) {
        if (call.state === 'queued') await bench.result(call, ok)
      }
    }
  }
  return readCard(approval)
}

const approve = { kind: 'approve' } as const

describe('CARD-07 a rule is proposed', () => {
  test('CARD-07 after N approvals of a kind, once, with what it would have saved and allowed', async () => {
    await using bench = await open()
    for (const name of ['a', 'b', 'c']) {
      expect(await ask(bench, `wc -l ${name}`, approve)).not.toHaveProperty('habit')
    }
    const card = await ask(bench, 'wc -l d', approve)
    expect(card.habit).toEqual({ times: 3, since: expect.stringMatching(/^\d{4}-/) })
    // It was not taken: not again within 30 days.
    expect(await ask(bench, 'wc -l e', approve)).not.toHaveProperty('habit')
    await bench.database.db
      .updateTable('approval')
      .set({ created_at: sql`now() - interval '31 days'` })
      .execute()
    expect(await ask(bench, 'wc -l f', approve)).toMatchObject({ habit: { times: 5 } })
  })

  test.each<readonly [string, string, Decision, typeof eve]>([
    ['a call of the kind was denied', 'wc -l c', { kind: 'deny' }, eve],
    ['those who approved may not make the rule', 'wc -l c', approve, ada],
  ])('CARD-07 no proposal where %s', async (_, command, decision, by) => {
    await using bench = await open()
    for (const name of ['a', 'b', 'd']) await ask(bench, `wc -l ${name}`, approve, by)
    await ask(bench, command, decision, by)
    expect(await ask(bench, 'wc -l e')).not.toHaveProperty('habit')
  })

  test.each(['rm -r build', 'curl https://a.example', 'mv a b', 'git push origin main'])(
    'CARD-07 no proposal for what no rule is suggested for: %s',
    async (command) => {
      await using bench = await open()
      for (let time = 0; time < learnAfter; time += 1) await ask(bench, command, approve)
      const states = (await approvals(bench)).map(({ state }) => state)
      expect(states).toEqual(['approved', 'approved', 'approved'])
      expect(await ask(bench, command)).not.toHaveProperty('habit')
    },
  )

  test('CARD-07 one tap is one approval: a batch counts once, what was allowed for a time does not, an edited call ends it', async () => {
    await using bench = await open()
    const { db } = bench.database
    for (const name of ['a', 'b', 'c', 'd']) await ask(bench, `wc -l ${name}`, approve)
    await db.updateTable('approval').set({ offers_rule: false }).execute()
    const batch = { id: newId(), ...(await firstPlace(bench)) }
    await db.insertInto('approval_batch').values(batch).execute()
    const alone = { batch_id: null, life: null, state: 'approved' as const }
    const changes = [
      { batch_id: batch.id },
      { life: '15m' as const },
      { state: 'superseded' as const },
    ]
    for (const change of changes) {
      await db
        .updateTable('approval')
        .set({ ...alone, offers_rule: false })
        .execute()
      const numbers = 'state' in change ? [1] : [1, 2, 3, 4]
      await db.updateTable('approval').set(change).where('number', 'in', numbers).execute()
      expect(
        await ask(bench, 'wc -l e', { kind: 'approve' }),
        Object.keys(change)[0],
      ).not.toHaveProperty('habit')
      await db.deleteFrom('approval').where('number', '>', 4).execute()
    }
  })

  test('CARD-07 learn_after = 0 proposes nothing', async () => {
    await using bench = await open({ learnAfter: 0 })
    for (const name of ['a', 'b', 'c']) await ask(bench, `wc -l ${name}`, approve)
    expect(await ask(bench, 'wc -l d')).not.toHaveProperty('habit')
  })
})

test('CARD-08 a card says what happens when nobody answers, and when a deputy is asked', async () => {
  await using bench = await open({
    onExpiry: 'wait',
    routing: { route: 'conversation', escalateTo: [bob.id], escalateAfterMs: 60_000 },
  })
  const card = await ask(bench, 'wc -l a')
  const [{ escalate_at } = { escalate_at: null }] = await approvals(bench)
  expect(card.unanswered).toEqual({ action: 'wait', escalatesAt: escalate_at?.toISOString() })
})

test('CARD-07 operators get the numbers of last week, once for all agents, and only if they want them', async () => {
  await using bench = await open({ alertsTo: 'test:operators', hasDigest: true })
  for (const name of ['a', 'b', 'c']) await ask(bench, `wc -l ${name}`, approve)
  await ask(bench, 'rm -r build', { kind: 'deny' })
  await bench.database.db
    .updateTable('approval')
    .set({ created_at: sql`now() - interval '7 days'`, decided_at: sql`now() - interval '7 days'` })
    .execute()
  const before = (await bench.notices()).length
  await Promise.all([sendDigest(bench.ctx), sendDigest(bench.another())])
  await sendDigest({ ...bench.ctx, settings: { ...bench.ctx.settings, hasDigest: false } })
  expect((await bench.notices()).slice(before)).toEqual([
    [
      'Approvals last week: 4 asked, 3 approved, 1 denied, 0 unanswered, 0 allowed by a rule or cancelled. Half of the answers came within 0 s.',
      'Approved often and not denied:',
      '• bash: wc * (3 times)',
      'countersign gate suggest tells which of them may become rules.',
    ].join('\n'),
  ])
})
