import { expect, test } from 'vitest'
import { createPrometheus } from '../../../src/adapters/telemetry/create-prometheus.ts'
import { toSpan } from '../../../src/adapters/telemetry/to-span.ts'
import { newId } from '../../../src/util/ids.ts'

const reviewed = {
  kind: 'call_reviewed',
  turnId: newId(),
  callId: newId(),
  tool: 'bash',
  provider: 'anthropic',
  model: 'small',
  outcome: 'reject',
  ms: 500,
  inputTokens: 300,
  outputTokens: 20,
  cacheReadTokens: 200,
  cacheWriteTokens: 0,
  costUsd: 0.25,
} as const

test('POL-05 PROC-05 reviews are counted by outcome, their tokens and cost with those of all models', async () => {
  const metrics = createPrometheus({ tools: ['bash'] })
  for (const outcome of ['reject', 'allow', 'allow', 'failed'] as const) {
    metrics.observer.record({ ...reviewed, outcome })
  }
  const lines = (await metrics.text()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'countersign_call_reviews_total{model="small",outcome="reject"} 1',
      'countersign_call_reviews_total{model="small",outcome="allow"} 2',
      'countersign_call_review_seconds_sum{model="small"} 2',
      'countersign_tokens_total{model="small",kind="input"} 1200',
      'countersign_cost_usd_total{model="small"} 1',
    ]),
  )
})

test('POL-05 PROC-05 a review is a span of its call, and holds no word of it', () => {
  const span = toSpan(reviewed)
  expect(span).toMatchObject({ name: 'review reject', ms: 500, failed: false })
  expect(span?.attributes).toMatchObject({ 'gen_ai.request.model': 'small' })
  expect(toSpan({ ...reviewed, outcome: 'failed' })?.failed).toBe(true)
})
