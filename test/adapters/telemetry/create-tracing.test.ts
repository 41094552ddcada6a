import { describe, expect, test } from 'vitest'
import { createTracing } from '../../../src/adapters/telemetry/create-tracing.ts'
import type { ProductEvent } from '../../../src/ports/observer.ts'
import { newId } from '../../../src/util/ids.ts'
import { type Log, silentLog } from '../../../src/util/log.ts'
import { type Collector, type ReceivedSpan, startCollector } from '../../support/collector.ts'
import { freePort } from '../../support/free-port.ts'
import { story } from './story.ts'

async function send(
  collector: Pick<Collector, 'endpoint'>,
  part: string,
  events: readonly ProductEvent[],
  log: Log = silentLog,
): Promise<void> {
  await using tracing = createTracing({ endpoint: collector.endpoint, part, log })
  for (const event of events) tracing.observer.record(event)
}

const byName = (spans: readonly ReceivedSpan[], name: string) => {
  const found = spans.find((span) => span.name === name)
  if (found === undefined) throw new Error(`no span ${name}`)
  return found
}

describe('traces', () => {
  test('PROC-05 the spans of gateway, agent and worker meet in one trace, whose id is the turn’s', async () => {
    await using collector = await startCollector()
    const { turnId, ofGateway, ofAgent, ofWorker } = story()
    // Three processes that know nothing of each other; the root comes last or first.
    await send(collector, 'agent', ofAgent)
    await send(collector, 'worker', ofWorker)
    await send(collector, 'gateway', ofGateway)
    const { spans } = collector
    expect(new Set(spans.map((span) => span.traceId))).toEqual(
      new Set([turnId.replaceAll('-', '')]),
    )
    expect(new Set(spans.map((span) => span.service))).toEqual(
      new Set(['countersign-agent', 'countersign-worker', 'countersign-gateway']),
    )
    const turn = byName(spans, 'turn')
    const call = byName(spans, 'execute_tool bash')
    expect(turn.parentSpanId ?? '').toBe('')
    for (const name of ['chat claude', 'execute_tool bash', 'deliver answer']) {
      expect(byName(spans, name).parentSpanId).toBe(turn.spanId)
    }
    for (const name of ['gate ask', 'approval approved', 'run bash']) {
      expect(byName(spans, name).parentSpanId).toBe(call.spanId)
    }
    expect(new Set(spans.map((span) => span.spanId)).size).toBe(spans.length)
    expect(collector.paths).toEqual(['/v1/traces', '/v1/traces', '/v1/traces'])
  })

  test('PROC-05 a span lasts as long as its event says, and tells of failures, tokens and workers', async () => {
    await using collector = await startCollector()
    const { ofGateway, ofAgent, ofWorker } = story({ fails: true })
    await send(collector, 'start', [...ofGateway, ...ofAgent, ...ofWorker])
    const { spans } = collector
    expect(byName(spans, 'turn')).toMatchObject({ ms: 9_000, failed: true })
    expect(byName(spans, 'chat claude')).toMatchObject({
      ms: 1_500,
      failed: false,
      attributes: { 'gen_ai.usage.input_tokens': 100, 'gen_ai.request.model': 'claude' },
    })
    expect(byName(spans, 'approval approved')).toMatchObject({ ms: 5_000 })
    expect(byName(spans, 'execute_tool bash')).toMatchObject({
      ms: 7_000,
      failed: true,
      attributes: { 'error.type': 'timeout', 'gen_ai.tool.name': 'bash' },
    })
    expect(byName(spans, 'run bash')).toMatchObject({
      ms: 400,
      failed: true,
      attributes: { 'countersign.worker': 'default', 'countersign.box_wait_ms': 90 },
    })
    expect(byName(spans, 'deliver answer')).toMatchObject({ ms: 120, failed: false })
  })

  test('PROC-05 the address may name the path already', async () => {
    await using collector = await startCollector()
    const { ofAgent } = story()
    await send({ endpoint: `${collector.endpoint}/v1/traces` }, 'agent', ofAgent)
    await send({ endpoint: `${collector.endpoint}/otlp/` }, 'agent', ofAgent)
    expect(collector.paths).toEqual(['/v1/traces', '/otlp/v1/traces'])
  })

  test.each(['is overloaded', 'refuses the headers', 'hangs', 'is not there'] as const)(
    'PROC-05 a collector that %s holds up nothing, is said once, and a stop ends within its time',
    async (trouble) => {
      const lines: string[] = []
      const keep = (fields: object, message: string) =>
        void lines.push(`${message} ${JSON.stringify(fields)}`)
      const log = { ...silentLog, warn: keep, info: keep }
      await using collector = await startCollector()
      const behaviours = { 'refuses the headers': 401, hangs: 'hangs' } as const
      collector.behave(behaviours[trouble as keyof typeof behaviours] ?? 503)
      const endpoint =
        trouble === 'is not there'
          ? `http://user:hunter2@127.0.0.1:${await freePort()}`
          : collector.endpoint
      const { ofAgent } = story()
      const headers = { authorization: 'Bearer hunter3' }
      const tracing = createTracing({ endpoint, headers, part: 'agent', log })
      // More than one batch holds.
      for (let round = 0; round < 300; round += 1) {
        for (const event of ofAgent) tracing.observer.record(event)
      }
      const startedAt = performance.now()
      await tracing[Symbol.asyncDispose]()
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      tracing.observer.record(ofAgent[0] as ProductEvent)
      // A code and no words: those may name the address with its password.
      expect(lines).toEqual([
        expect.stringMatching(/^failed to send traces; they were dropped \{"error":"\w+"\}$/),
      ])
    },
  )

  test('PROC-05 what has no turn makes no span, and a turn by another kind of id a valid one', async () => {
    await using collector = await startCollector()
    const ids = { conversationId: newId(), outboxId: 1, waitedMs: 1, ms: 1 }
    const notice = { kind: 'delivered', platform: 'telegram', what: 'notice', ...ids } as const
    const call = { turnId: 'turn-1', callId: 'call-1', tool: 'bash', attempt: 1 }
    await send(collector, 'worker', [
      { ...notice, outcome: 'sent' },
      { kind: 'worker_message_dropped' },
      {
        kind: 'call_ran',
        ...call,
        worker: 'default',
        replica: newId(),
        job: 'run',
        outcome: 'succeeded',
        waitedMs: 0,
        ms: 1,
      },
    ])
    expect(collector.spans.map(({ name }) => name)).toEqual(['run bash'])
  })
})
