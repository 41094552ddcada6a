import { expect, test } from 'vitest'
import { createPrometheus } from '../../../src/adapters/telemetry/create-prometheus.ts'
import { watchQueues } from '../../../src/app/processes/watch-database-state.ts'
import type { Db } from '../../../src/db/schema.ts'
import type { Queue } from '../../../src/ports/queue.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createScriptedModel } from '../../support/scripted-model.ts'

test('PROC-05 the depth of a worker’s queue includes the queues of its replicas', async () => {
  await using bench = await createBenchContext(createScriptedModel([]))
  await bench.hello()
  const { replica } = await bench.database.db
    .selectFrom('worker')
    .select('replica')
    .executeTakeFirstOrThrow()
  const depths: Readonly<Record<string, number>> = {
    turns: 1,
    results: 2,
    'tools-default': 3,
    [`tools-default.${replica}`]: 4,
  }
  const queue = { depth: async (name: string) => depths[name] ?? 0 } as Partial<Queue> as Queue
  const metrics = createPrometheus({ tools: [] })
  watchQueues(metrics, queue, bench.database.db, 'default')
  expect(await metrics.text()).toContain('queue_depth{queue="tools-default"} 7')
})

test('PROC-05 depths from the queue’s own server are reported while the database is unreachable', async () => {
  const away = new Proxy({} as Db, {
    get: () => {
      throw new Error('connect ECONNREFUSED')
    },
  })
  const queue = { depth: async () => 3 } as Partial<Queue> as Queue
  const metrics = createPrometheus({ tools: [] })
  watchQueues(metrics, queue, away, 'default')
  const text = await metrics.text()
  expect(text).toContain('queue_depth{queue="turns"} 3')
  expect(text).toContain('queue_depth{queue="results"} 3')
  // Without the replicas' own queues the number would be wrong.
  expect(text).not.toContain('tools-default')
})
