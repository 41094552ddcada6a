import { describe, expect, test } from 'vitest'
import { advanceTurn } from '../../../src/core/turn/advance-turn.ts'
import { sweep } from '../../../src/core/turn/sweep.ts'
import { expireAllLeases } from '../../../src/db/turn/lost-turns.ts'
import { claimTurn, makeTurnDue, releaseTurn } from '../../../src/db/turn/turns.ts'
import { bob, createBenchContext, ok } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const longAgo = new Date(0)

describe('a turn that is given up', () => {
  test('REL-01 APPR-05 AUD-05 its questions are cancelled, its calls end, and a later tap is told so', async () => {
    const model = createScriptedModel([
      calls([toRequest('read', { path: 'a' }), toRequest('bash', { command: 'true' })]),
      say('never'),
    ])
    await using bench = await createBenchContext(model)
    const { db } = bench.database
    await bench.say('hi')
    await bench.step()
    await db.updateTable('turn').set({ crashes: 6, next_due: longAgo }).execute()
    const turn = await db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
    await advanceTurn(bench.ctx, turn.id)
    const [reading, asking] = await bench.calls()
    expect(asking?.state).toBe('cancelled')
    expect(reading?.cancel_requested_at).not.toBeNull()
    expect(bench.cancels).toHaveLength(1)
    await bench.say('/approve 1')
    expect((await bench.notices()).at(-1)).toMatch(/^Cancelled/)
    const approval = await db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()
    expect(approval.state).toBe('cancelled')
    expect(JSON.parse(approval.card).status.kind).toBe('cancelled')
    if (reading === undefined) throw new Error('no call')
    await bench.result(reading, { kind: 'elsewhere', canonical: ['/workspace/b'] })
    expect((await bench.calls()).filter((row) => row.settled_at === null)).toEqual([])
  })
})

describe('a turn that is let go', () => {
  test('LOOP-02 what became due while it was held is told under an id that the queue cannot still keep', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('read', { path: 'a' }), say('done')]),
    )
    const { db } = bench.database
    await bench.say('hi')
    await bench.step()
    const { id } = await db.selectFrom('turn').select('id').executeTakeFirstOrThrow()
    await makeTurnDue(db, id)
    const held = await claimTurn(db, id, 'an agent')
    const told = await makeTurnDue(db, id)
    const released = await releaseTurn(db, id, held?.epoch ?? 0)
    expect(released?.next_due).not.toBeNull()
    expect(released?.epoch).toBe((told?.epoch ?? 0) + 1)
    const again = await claimTurn(db, id, 'an agent')
    expect((await releaseTurn(db, id, again?.epoch ?? 0))?.epoch).toBe(again?.epoch)
  })
})

describe('a model call that was lost', () => {
  test('LOOP-10 INT-30 it is made again as the same step: a crash costs the turn none of its steps', async () => {
    const model = createScriptedModel([call('read', { path: 'a' }), say('done')])
    await using bench = await createBenchContext(model, { maxToolIterations: 1 })
    const { db } = bench.database
    await bench.say('hi')
    const dying = bench.another(createScriptedModel(() => Promise.reject(new TypeError('killed'))))
    await expect(bench.step(dying)).rejects.toThrow('killed')
    await db.updateTable('turn').set({ lease_until: longAgo }).execute()
    await sweep(bench.ctx, longAgo)
    await bench.step()
    expect(model.requests[0]?.toolChoice).toBe('auto')
    const [reading] = await bench.calls()
    if (reading === undefined) throw new Error('no call')
    await bench.result(reading, ok)
    await bench.step()
    expect(model.requests[1]?.toolChoice).toBe('none')
    expect((await bench.notices()).at(-1)).toBe('done')
  })
})

describe('a start that knows that nobody else lives', () => {
  test('DECISION-8 STORE-01 every live turn is handed on by the very first sweep', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('ok')]))
    await bench.say('hi')
    const told = bench.due.length
    await expireAllLeases(bench.database.db)
    await sweep(bench.ctx, new Date())
    expect(bench.due).toHaveLength(told + 1)
  })
})

describe('messages', () => {
  test('LOOP-03 the caller’s own messages reach the next step also when somebody else wrote before them', async () => {
    const model = createScriptedModel([call('read', { path: 'a' }), say('to Ada'), say('to Bob')])
    await using bench = await createBenchContext(model)
    await bench.say('from Ada')
    await bench.step()
    await bench.say('from Bob', bob)
    await bench.say('more from Ada')
    expect((await bench.notices()).at(-1)).toContain('reads it at its next step')
    const [reading] = await bench.calls()
    if (reading === undefined) throw new Error('no call')
    await bench.result(reading, ok)
    await bench.step()
    const last = model.requests[1]?.messages.at(-1)
    expect(last).toEqual({ role: 'user', author: 'Ada', text: 'more from Ada' })
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('from Bob')
    await bench.step()
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({ author: 'Bob', text: 'from Bob' })
  })
})
