import { expect, test } from 'vitest'
import { createBenchKernel } from '../../support/bench-kernel.ts'
import { createScriptedModel, say } from '../../support/scripted-model.ts'

test.each([
  ['a minute before it began', -60_000, 'queued'],
  ['a moment before it began, by clocks that differ', -1_000, 'stopped'],
  ['while it ran', 1_000, 'stopped'],
])(
  'LOOP-14 SLACK-05 a Stop of the platform that was pressed %s is of that turn or of none',
  async (_when, afterMs, state) => {
    await using bench = await createBenchKernel(createScriptedModel([say('done')]))
    await bench.say('go')
    const { db } = bench.database
    const turn = () => db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
    const pressedAt = (await turn()).created_at.getTime() + afterMs
    await bench.act({ kind: 'stop', pressedAt })
    expect((await turn()).state).toBe(state)
  },
)
