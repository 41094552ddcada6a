import { expect, test } from 'vitest'
import { createPrometheus } from '../../../src/adapters/telemetry/create-prometheus.ts'
import { newId } from '../../../src/util/ids.ts'

test('OUT-06 PROC-05 outputs are counted by filter and confidence', async () => {
  const metrics = createPrometheus({ tools: ['bash'] })
  const ran = {
    kind: 'call_ran',
    turnId: newId(),
    callId: newId(),
    tool: 'bash',
    job: 'run',
    attempt: 1,
    worker: 'local',
    replica: 'r',
    outcome: 'succeeded',
    waitedMs: 1,
    ms: 1,
  } as const
  const full = [{ name: 'make', confidence: 'full' }]
  metrics.observer.record({ ...ran, filters: full })
  metrics.observer.record({ ...ran, filters: [...full, { name: 'own', confidence: 'fallback' }] })
  metrics.observer.record(ran)
  const text = await metrics.text()
  expect(text).toContain('countersign_filters_total{rule="make",confidence="full"} 2')
  expect(text).toContain('countersign_filters_total{rule="own",confidence="fallback"} 1')
})
