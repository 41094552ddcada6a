import { describe, expect, test } from 'vitest'
import { sweep } from '../../../src/core/turn/sweep.ts'
import { createBenchKernel, eve } from '../../support/bench-kernel.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const longAgo = new Date(0)

describe('a rules file that cannot be written', () => {
  test('APPR-07 LOOP-02 an approver’s Always still lets the call run; the turn is not stuck', async () => {
    await using bench = await createBenchKernel(
      createScriptedModel([call('bash', { command: 'wc -c a' }), say('done')]),
    )
    const stuck = {
      ...bench.another(),
      permissions: {
        ...bench.kernel.permissions,
        save: () => Promise.reject(new Error('EROFS: read-only file system')),
      },
    }
    await bench.say('hi')
    await bench.step()
    await bench.say('/always', eve)
    await bench.step(stuck)
    expect((await bench.calls())[0]?.state).toBe('queued')
    // It is written as soon as that is possible again.
    await sweep(bench.kernel, longAgo)
    expect(bench.rules.text).toContain('"wc *": "allow"')
  })

  test('LOOP-14 APPR-08 one thing that the sweeper cannot do does not keep it from the others', async () => {
    await using bench = await createBenchKernel(
      createScriptedModel([call('bash', { command: 'wc -c a' }), say('done')]),
    )
    const { db } = bench.database
    const stuck = {
      ...bench.another(),
      permissions: {
        ...bench.kernel.permissions,
        save: () => Promise.reject(new Error('EROFS: read-only file system')),
      },
      signals: { ...bench.kernel.signals, turnDue: () => Promise.reject(new Error('away')) },
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
