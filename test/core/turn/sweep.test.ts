import { describe, expect, test, vi } from 'vitest'
import { createSweeper, sweep } from '../../../src/core/turn/sweep.ts'
import type { TurnContext } from '../../../src/core/turn/turn-context.ts'
import { createBenchContext, eve } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const longAgo = new Date(0)

describe('a rules file that cannot be written', () => {
  test('APPR-07 LOOP-02 an approver’s Always still lets the call run; the turn is not stuck', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'wc -c a' }), say('done')]),
    )
    const stuck = {
      ...bench.another(),
      permissions: {
        ...bench.ctx.permissions,
        save: () => Promise.reject(new Error('EROFS: read-only file system')),
      },
    }
    await bench.say('hi')
    await bench.step()
    await bench.say('/always', eve)
    await bench.step(stuck)
    expect((await bench.calls())[0]?.state).toBe('queued')
    // It is written as soon as that is possible again.
    await sweep(bench.ctx, longAgo)
    expect(bench.rules.text).toContain('"wc *": "allow"')
  })

  test('LOOP-14 APPR-08 one thing that the sweeper cannot do does not keep it from the others', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'wc -c a' }), say('done')]),
    )
    const { db } = bench.database
    const stuck = {
      ...bench.another(),
      permissions: {
        ...bench.ctx.permissions,
        save: () => Promise.reject(new Error('EROFS: read-only file system')),
      },
      signals: { ...bench.ctx.signals, turnDue: () => Promise.reject(new Error('away')) },
    }
    await bench.say('hi')
    await bench.step()
    await bench.say('/always', eve)
    await bench.step(stuck)
    await bench.say('/stop')
    await bench.say('again')
    await bench.step(stuck)
    await bench.say('again')
    await db.updateTable('turn').set({ next_due: longAgo }).where('state', '=', 'queued').execute()
    const before = bench.cancels.length
    await sweep(stuck, longAgo).catch(() => undefined)
    expect(bench.cancels.length).toBe(before + 1)
  })
})

describe('a database or a queue that was away', () => {
  test.each(['database', 'queue'])(
    'INT-32 INT-33 STORE-04 no call is interrupted before workers could be heard of again: the %s',
    async (what) => {
      await using bench = await createBenchContext(
        createScriptedModel([call('read', { path: 'a' })]),
      )
      const { db } = bench.database
      await bench.say('hi')
      await bench.step()
      const [reading] = await bench.calls()
      if (reading === undefined) throw new Error('no call')
      await bench.started(reading)
      const state = { isAway: false }
      const clock = vi.useFakeTimers({ toFake: ['Date'] })
      try {
        const sweepOnce = createSweeper(withoutPart(bench.ctx, what, state))
        clock.advanceTimersByTime(60_000)
        await sweepOnce()
        state.isAway = true
        await sweepOnce().catch(() => undefined)
        state.isAway = false
        await db.updateTable('worker').set({ seen_at: longAgo }).execute()
        await sweepOnce()
        expect((await bench.calls())[0]?.state).toBe('running')
        clock.advanceTimersByTime(16_000)
        await sweepOnce()
        expect((await bench.calls())[0]?.state).toBe('interrupted')
      } finally {
        vi.useRealTimers()
      }
    },
  )
})

function withoutPart(
  ctx: TurnContext,
  what: string,
  state: { readonly isAway: boolean },
): TurnContext {
  const { db, signals } = ctx
  if (what === 'queue') {
    return { ...ctx, signals: { ...signals, pass: async () => !state.isAway } }
  }
  return Object.defineProperty({ ...ctx }, 'db', {
    get: () => {
      if (state.isAway) throw new Error('the database is away')
      return db
    },
  })
}
