import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import type { CoreSettings } from '../../../src/core/context.ts'
import { insertAsked } from '../../../src/db/approval/due-approvals.ts'
import { endPairing, saveCaller, savePairedRole } from '../../../src/db/people/callers.ts'
import type { Card } from '../../../src/domain/approval.ts'
import type { Caller } from '../../../src/domain/caller.ts'
import { auditRows } from '../../support/audit-rows.ts'
import {
  ada,
  anybody,
  type BenchContext,
  bob,
  createBenchContext,
  eve,
  ok,
  showCards,
} from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const olga: Caller = { id: 'test:olga', name: 'Olga', role: 'operator' }
const two = { ...anybody, people: { low: 2, medium: 2, high: 2 } }
const approve = { kind: 'approve' } as const
const always = { kind: 'always' } as const

/** A command of Ada's that waits for its answer, and whose card is shown. */
async function asked(
  approvers: Partial<CoreSettings['approvers']>,
  command = 'touch a',
): Promise<BenchContext> {
  const request = toRequest('bash', { command })
  const model = createScriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? calls([request]) : say('done'),
  )
  const bench = await createBenchContext(model, { approvers: { ...anybody, ...approvers } })
  await saveCaller(bench.database.db, olga)
  await bench.say('hi')
  await bench.step()
  await showCards(bench.database.db)
  return bench
}

async function questions(bench: BenchContext) {
  const rows = await bench.database.db
    .selectFrom('approval')
    .selectAll()
    .orderBy('number')
    .execute()
  return rows.map((row) => ({ ...row, card: JSON.parse(row.card) as Card }))
}

async function question(bench: BenchContext) {
  const found = (await questions(bench)).at(-1)
  if (found === undefined) throw new Error('no question')
  return found
}

async function answer(bench: BenchContext, by: Caller, decision: Parameters<typeof decide>[3]) {
  await showCards(bench.database.db)
  return decide(bench.ctx, (await question(bench)).id, by, decision)
}

/** The same rows under another configuration, as after a restart. */
function configured(bench: BenchContext, approvers: Partial<CoreSettings['approvers']>) {
  const ctx = bench.another()
  const settings = { ...ctx.settings, approvers: { ...anybody, ...approvers } }
  return { ...ctx, settings }
}

describe('one’s own calls', () => {
  test('APPR-17 where they may not be approved by oneself it is said, and denying is fine', async () => {
    await using bench = await asked({ allowSelf: false })
    expect((await question(bench)).card).toMatchObject({
      whoMayAnswer: 'an approver other than the requester',
      risk: 'medium',
    })
    for (const decision of [approve, always]) {
      expect(await answer(bench, ada, decision)).toEqual({
        kind: 'forbidden',
        text: 'You may deny this, but not approve it. Who may approve it: an approver other than the requester.',
      })
    }
    expect((await question(bench)).state).toBe('pending')
    expect(await answer(bench, bob, approve)).toMatchObject({ kind: 'forbidden' })
    expect(await answer(bench, ada, { kind: 'deny' })).toMatchObject({ kind: 'applied' })
    expect((await question(bench)).state).toBe('denied')
  })

  test('APPR-17 an approver’s own call needs another one', async () => {
    await using bench = await asked({ allowSelf: false })
    const { db } = bench.database
    await saveCaller(db, { ...ada, role: 'approver' })
    expect(await answer(bench, { ...ada, role: 'approver' }, approve)).toMatchObject({
      kind: 'forbidden',
    })
    expect(await answer(bench, eve, approve)).toMatchObject({ kind: 'applied', text: 'Approved.' })
  })

  test('APPR-17 the tier’s role: an approver is not enough for what only operators approve', async () => {
    await using bench = await asked(
      { roles: { low: 'user', medium: 'user', high: 'operator' } },
      'rm a',
    )
    expect((await question(bench)).card).toMatchObject({
      whoMayAnswer: 'an operator',
      risk: 'high',
    })
    expect(await answer(bench, eve, approve)).toMatchObject({ kind: 'forbidden' })
    expect(await answer(bench, ada, approve)).toMatchObject({ kind: 'forbidden' })
    expect(await answer(bench, olga, approve)).toMatchObject({ kind: 'applied' })
    await bench.step()
    expect(bench.jobs).toHaveLength(1)
  })
})

describe('two people', () => {
  test('APPR-12 APPR-15 of the lives that two people grant the narrowest counts, and one of them alone grants nothing', async () => {
    const life = (name: '15m' | '1h') => ({ kind: 'always', life: name }) as const
    const grantsAfter = async (first: Parameters<typeof decide>[3]) => {
      await using bench = await asked({ ...two })
      await answer(bench, eve, first)
      await answer(bench, olga, life('1h'))
      const rows = await bench.database.db.selectFrom('grant_rule').selectAll().execute()
      const { always_effect } = await question(bench)
      return [rows.map((row) => [row.pattern, row.life]), always_effect]
    }
    expect(await grantsAfter(life('15m'))).toEqual([[['touch *', '15m']], 'session'])
    expect(await grantsAfter(always)).toEqual([[['touch *', '1h']], 'session'])
    expect(await grantsAfter(approve)).toEqual([[], 'none'])
  })

  test('APPR-12 THREAT-4 one person’s Always is not offered where it could cover calls that two must approve', async () => {
    const quorum = [{ tool: 'bash', pattern: 'touch * prod', people: 2 }]
    await using bench = await asked({ quorum })
    expect((await question(bench)).card.alwaysPatterns).toEqual([])
    expect(await answer(bench, eve, always)).toMatchObject({
      kind: 'forbidden',
      text: expect.stringContaining('not offered'),
    })
    expect(await answer(bench, eve, approve)).toMatchObject({ kind: 'applied' })
  })

  test('APPR-12 APPR-05 nothing runs after one; the card says who it was and keeps waiting, the second ends it', async () => {
    await using bench = await asked({ quorum: [{ tool: 'bash', pattern: 'touch *', people: 2 }] })
    expect((await question(bench)).card.whoMayAnswer).toBe('two people: the requester or approvers')
    expect(await answer(bench, ada, approve)).toEqual({
      kind: 'applied',
      text: 'Counted: 1 of 2 approved.',
    })
    await bench.step()
    expect(bench.jobs).toEqual([])
    const half = await question(bench)
    expect(half).toMatchObject({ state: 'pending', decided_by: null })
    expect(half.card).toMatchObject({
      status: { kind: 'waiting' },
      votes: { people: 2, by: [{ name: 'Ada' }] },
    })
    expect(await answer(bench, eve, approve)).toEqual({ kind: 'applied', text: 'Approved.' })
    const whole = await question(bench)
    expect(whole).toMatchObject({ state: 'approved', decided_by: eve.id })
    expect(whole.card).toMatchObject({
      status: { kind: 'approved', by: 'Eve' },
      votes: { by: [{ name: 'Ada' }, { name: 'Eve' }] },
    })
    await bench.step()
    expect(bench.jobs).toHaveLength(1)
    const noted = (await auditRows(bench.database.db)).filter((row) => row.kind === 'command')
    expect(noted.map(({ body }) => JSON.parse(body))).toMatchObject([
      { caller_id: ada.id, note: 'approved as user, question 1: 1 of 2' },
      { caller_id: eve.id, note: 'approved as approver, question 1: 2 of 2' },
    ])
  })

  test('APPR-12 INT-26 the same person counts once, however often they tap', async () => {
    await using bench = await asked(two)
    await answer(bench, eve, approve)
    expect(await answer(bench, eve, always)).toEqual({
      kind: 'late',
      text: 'Your approval already counts: 1 of 2 approved.',
    })
    expect((await question(bench)).state).toBe('pending')
  })

  test('APPR-04 APPR-12 one who may answer ends it with a denial, whoever approved before', async () => {
    await using bench = await asked(two)
    await answer(bench, eve, approve)
    expect(await answer(bench, ada, { kind: 'deny', reason: 'no' })).toMatchObject({
      kind: 'applied',
    })
    expect((await question(bench)).state).toBe('denied')
    expect(await answer(bench, olga, approve)).toMatchObject({ kind: 'late' })
  })

  test('APPR-04 INT-26 two processes, two people at the same moment: it is approved once and runs once', async () => {
    await using bench = await asked(two)
    const { id } = await question(bench)
    const other = bench.another()
    const outcomes = await Promise.all([
      ...[ada, eve, ada, eve].map((by, index) =>
        decide(index % 2 ? other : bench.ctx, id, by, approve),
      ),
      decide(other, id, bob, approve),
    ])
    const texts = outcomes.map(({ text }) => text)
    expect(texts.filter((text) => text === 'Approved.')).toHaveLength(1)
    expect(texts.filter((text) => text === 'Counted: 1 of 2 approved.')).toHaveLength(1)
    await bench.step()
    await bench.step(other)
    expect(bench.jobs).toHaveLength(1)
  })

  test('APPR-12 where only one could be counted, ten at once are not two', async () => {
    await using bench = await asked({ ...two, allowSelf: false })
    const { id } = await question(bench)
    const others = [bench.ctx, bench.another()]
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        decide(others[at % 2] ?? bench.ctx, id, at % 3 ? eve : ada, approve),
      ),
    )
    expect((await question(bench)).state).toBe('pending')
  })

  test('APPR-12 a vote is not cast by a card that has expired', async () => {
    await using bench = await asked(two)
    await bench.database.db
      .updateTable('approval')
      .set({ expires_at: new Date(0) })
      .execute()
    expect(await answer(bench, ada, approve)).toEqual({
      kind: 'late',
      text: 'This approval has expired.',
    })
    expect(await bench.database.db.selectFrom('approval_vote').selectAll().execute()).toEqual([])
  })
})

describe('Always of several', () => {
  test('APPR-12 APPR-07 makes no rule before all have tapped it, and one for everybody by approvers alone', async () => {
    await using bench = await asked(two)
    await answer(bench, olga, always)
    await bench.step()
    expect(await bench.database.db.selectFrom('grant_rule').selectAll().execute()).toEqual([])
    expect(await answer(bench, eve, always)).toMatchObject({ text: 'Approved, always.' })
    await bench.step()
    expect(bench.rules.text).toContain('"touch *": "allow"')
  })

  test('APPR-12 APPR-07 THREAT-4 with one user among them it holds in the session alone, whoever was last', async () => {
    await using bench = await asked(two)
    await answer(bench, ada, always)
    await answer(bench, eve, always)
    await bench.step()
    expect(bench.rules.text).not.toContain('touch')
    expect(await bench.database.db.selectFrom('grant_rule').selectAll().execute()).toHaveLength(1)
  })

  test('APPR-12 where one tapped Approve it is approved this once', async () => {
    await using bench = await asked(two)
    await answer(bench, eve, approve)
    expect(await answer(bench, olga, always)).toMatchObject({
      text: 'Approved, this once: not everyone who approved it tapped Always.',
    })
    expect(await bench.database.db.selectFrom('grant_rule').selectAll().execute()).toEqual([])
    expect((await question(bench)).card.status).toMatchObject({ kind: 'approved', always: false })
  })
})

describe('between the votes and the job', () => {
  test('POL-06 DECISION-19 a rule that wants more by then asks anew, with no votes, and says so on the old card', async () => {
    await using bench = await asked({})
    await answer(bench, ada, approve)
    const later = configured(bench, two)
    await bench.step(later)
    expect(bench.jobs).toEqual([])
    const [old, anew] = await questions(bench)
    expect(old?.card.status).toEqual({
      kind: 'cancelled',
      why: 'the rules about who may approve have changed',
    })
    expect(old?.state).toBe('superseded')
    expect(anew).toMatchObject({ state: 'pending', number: 2 })
    expect(anew?.card.votes).toBeUndefined()
    await showCards(bench.database.db)
    expect(await decide(later, anew?.id ?? '', ada, approve)).toMatchObject({
      text: 'Counted: 1 of 2 approved.',
    })
    expect(await decide(later, anew?.id ?? '', eve, approve)).toMatchObject({ text: 'Approved.' })
    await bench.step(later)
    expect(bench.jobs).toHaveLength(1)
  })

  test('POL-06 a rule that wants less by then is content', async () => {
    await using bench = await asked({ allowSelf: false })
    await answer(bench, eve, approve)
    await bench.step(configured(bench, {}))
    expect(bench.jobs).toHaveLength(1)
  })

  test('INT-26 POL-06 APPR-12 somebody who lost the role before the second vote is not counted', async () => {
    await using bench = await asked({ ...two, allowSelf: false })
    await answer(bench, eve, approve)
    await saveCaller(bench.database.db, { ...eve, role: 'user' })
    expect(await answer(bench, olga, approve)).toMatchObject({ text: 'Counted: 1 of 2 approved.' })
    expect((await question(bench)).card.votes?.by).toMatchObject([{ name: 'Olga' }])
  })

  test('INT-26 POL-06 somebody who lost the role between the last vote and the job: it is asked anew', async () => {
    await using bench = await asked({ allowSelf: false })
    await answer(bench, eve, approve)
    await saveCaller(bench.database.db, { ...eve, role: 'user' })
    await bench.step()
    expect(bench.jobs).toEqual([])
    expect((await questions(bench)).map(({ state }) => state)).toEqual(['superseded', 'pending'])
  })

  test('INT-26 POL-06 so it is with whoever the configuration shut out, where it names anybody', async () => {
    await using bench = await asked({ allowSelf: false })
    const { db } = bench.database
    const guest: Caller = { id: 'telegram:7', name: 'Guest', role: 'approver' }
    await saveCaller(db, guest)
    await answer(bench, guest, approve)
    const lists = { users: [], approvers: ['8'], operators: [] }
    await bench.step({ ...bench.another(), people: { telegram: lists } })
    expect(bench.jobs).toEqual([])
    expect((await question(bench)).state).toBe('pending')
    await answer(bench, guest, approve)
    // An agent that is told nothing of it goes by what is stored.
    await bench.step({ ...bench.another(), people: {} })
    expect(bench.jobs).toHaveLength(1)
  })

  test('INT-26 POL-06 CHAT-01 so it is with whoever had a role by pairing alone, which was revoked', async () => {
    await using bench = await asked({})
    const { db } = bench.database
    const people = { telegram: { users: [], approvers: [], operators: [] } }
    const guest: Caller = { id: 'telegram:7', name: 'Guest', role: 'user' }
    await savePairedRole(db, guest, 'user')
    await db.updateTable('approval').set({ caller_id: guest.id }).execute()
    const ctx = { ...bench.another(), people }
    const { id } = await question(bench)
    expect(await decide(ctx, id, guest, approve)).toMatchObject({ kind: 'applied' })
    await endPairing(db, guest.id, 'user')
    await bench.step(ctx)
    expect(bench.jobs).toEqual([])
    expect((await questions(bench)).map(({ state }) => state)).toEqual(['superseded', 'pending'])
  })

  test('INT-26 APPR-07 POL-06 the rule that an Always made of somebody who lost the role is taken back, not written', async () => {
    await using bench = await asked({ allowSelf: false })
    await answer(bench, eve, always)
    await saveCaller(bench.database.db, { ...eve, role: 'user' })
    await bench.step()
    expect(bench.jobs).toEqual([])
    expect(bench.rules.text).not.toContain('touch')
    expect(await bench.database.db.selectFrom('grant_rule').selectAll().execute()).toEqual([])
    expect((await question(bench)).state).toBe('pending')
  })

  test('INT-26 APPR-07 THREAT-4 an Always for everybody of somebody who is a user by then holds for their own session alone', async () => {
    await using bench = await asked({})
    const { db } = bench.database
    await db.updateTable('approval').set({ caller_id: eve.id }).execute()
    await answer(bench, eve, always)
    expect((await question(bench)).always_effect).toBe('worker')
    await saveCaller(db, { ...eve, role: 'user' })
    await bench.step()
    expect(bench.rules.text).not.toContain('touch')
    const [grant] = await db.selectFrom('grant_rule').selectAll().execute()
    expect(grant).toMatchObject({
      caller_id: eve.id,
      session_id: (await question(bench)).session_id,
    })
    expect(bench.jobs).toHaveLength(1)
  })

  test('INT-26 APPR-11 a program whose token was revoked is nobody, though it was asked by name', async () => {
    await using bench = await asked(two)
    const { db } = bench.database
    const program: Caller = { id: 'api:deploy', name: 'api:deploy', role: 'user' }
    await savePairedRole(db, program, 'user')
    const { id } = await question(bench)
    await insertAsked(db, id, program.id)
    expect(await answer(bench, program, approve)).toMatchObject({
      text: 'Counted: 1 of 2 approved.',
    })
    await endPairing(db, program.id, 'user')
    expect(await answer(bench, eve, approve)).toMatchObject({ text: 'Counted: 1 of 2 approved.' })
    await bench.step()
    expect(bench.jobs).toEqual([])
  })

  test('POL-06 APPR-12 a deny that came after all votes wins', async () => {
    await using bench = await asked(two)
    await answer(bench, ada, approve)
    await answer(bench, eve, approve)
    bench.rules.text = '{"*": "ask", "bash": {"touch *": "deny"}}'
    await bench.step()
    expect(bench.jobs).toEqual([])
    expect((await bench.calls())[0]?.state).toBe('denied')
  })

  test('APPR-12 a call that runs settles as any other', async () => {
    await using bench = await asked(two)
    await answer(bench, ada, approve)
    await answer(bench, eve, approve)
    await bench.step()
    const [call] = await bench.calls()
    if (call === undefined) throw new Error('no call')
    await bench.result(call, ok)
    await bench.step()
    expect((await bench.notices()).at(-1)).toBe('done')
    expect((await question(bench)).card).toMatchObject({ status: { kind: 'finished', by: 'Eve' } })
  })
})
