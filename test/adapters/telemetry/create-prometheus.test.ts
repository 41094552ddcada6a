import { describe, expect, test } from 'vitest'
import { createPrometheus } from '../../../src/adapters/telemetry/create-prometheus.ts'
import { newId } from '../../../src/util/ids.ts'
import { story } from './story.ts'

const create = () => createPrometheus({ tools: ['bash', 'read'] })

/** The lines that hold a value, without those of buckets. */
const valuesIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket'))

async function valuesAfter(...stories: readonly ReturnType<typeof story>[]): Promise<string[]> {
  const metrics = create()
  for (const { ofGateway, ofAgent, ofWorker } of stories) {
    for (const event of [...ofGateway, ...ofAgent, ...ofWorker]) metrics.observer.record(event)
  }
  return valuesIn(await metrics.text())
}

describe('metrics', () => {
  test('PROC-05 turns, steps, calls by verdict, approvals, sandbox starts, tokens and cost are counted', async () => {
    const values = await valuesAfter(story(), story({ fails: true }))
    expect(values).toEqual(
      expect.arrayContaining([
        'countersign_turns_started_total{sort="message"} 2',
        'countersign_turns_total{state="done"} 1',
        'countersign_turns_total{state="failed"} 1',
        'countersign_steps_total 4',
        'countersign_model_calls_total{model="claude",outcome="done"} 2',
        'countersign_calls_total{tool="bash",verdict="ask"} 2',
        'countersign_call_results_total{tool="bash",result="succeeded",category="none"} 1',
        'countersign_call_results_total{tool="bash",result="failed",category="timeout"} 1',
        'countersign_approvals_asked_total{tool="bash",risk="medium"} 2',
        'countersign_approvals_decided_total{decision="approved"} 2',
        'countersign_approval_decision_seconds_sum{decision="approved"} 10',
        'countersign_approval_decision_seconds_count{decision="approved"} 2',
        'countersign_sandbox_starts_total{driver="bubblewrap",result="started"} 2',
        'countersign_tokens_total{model="claude",kind="input"} 200',
        'countersign_tokens_total{model="claude",kind="output"} 20',
        'countersign_tokens_total{model="claude",kind="cache_read"} 160',
        'countersign_cost_usd_total{model="claude"} 0.5',
        'countersign_messages_total{platform="telegram",act="tap"} 2',
        'countersign_deliveries_total{platform="telegram",what="answer",outcome="sent"} 2',
        'countersign_call_seconds_sum{tool="bash"} 0.8',
        'countersign_runs_total{tool="bash",outcome="failed"} 1',
      ]),
    )
  })

  test('PROC-05 nobody and nothing of a conversation is in them, and what models make up adds no series', async () => {
    const first = await valuesAfter(story())
    const many = await valuesAfter(...Array.from({ length: 20 }, () => story()))
    // The same series with other numbers, however many people, turns and calls there were.
    const names = (values: readonly string[]) => values.map((line) => line.replace(/ \S+$/, ''))
    expect(names(many)).toEqual(names(first))
    expect(many.join('\n')).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/)
    const metrics = create()
    for (let round = 0; round < 20; round += 1) {
      const tool = `made_up_${round}`
      const call = { turnId: newId(), callId: newId(), tool }
      metrics.observer.record({ kind: 'call_decided', ...call, verdict: 'unjudged', isFirst: true })
    }
    expect(valuesIn(await metrics.text())).toContain(
      'countersign_calls_total{tool="other",verdict="unjudged"} 20',
    )
  })

  test('PROC-05 a call that is judged again is not another call', async () => {
    const metrics = create()
    const call = { turnId: newId(), callId: newId(), tool: 'read' }
    metrics.observer.record({ kind: 'call_decided', ...call, verdict: 'ask', isFirst: true })
    metrics.observer.record({ kind: 'call_decided', ...call, verdict: 'deny', isFirst: false })
    const calls = valuesIn(await metrics.text()).filter((line) =>
      line.includes('_calls_total{tool'),
    )
    expect(calls).toEqual(['countersign_calls_total{tool="read",verdict="ask"} 1'])
  })

  test('PROC-05 what Prometheus is told is the process too, where that is wanted', async () => {
    const metrics = createPrometheus({ tools: [], withProcess: true })
    const text = await metrics.text()
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/)
  })
})

describe('a gauge', () => {
  test('PROC-05 is read when somebody asks, by the values of a label where it has one', async () => {
    const metrics = create()
    let waiting = 3
    metrics.gauge({ name: 'waiting', help: 'h', read: async () => waiting })
    metrics.gauge({ name: 'depth', help: 'h', label: 'queue', read: async () => ({ a: waiting }) })
    expect(valuesIn(await metrics.text())).toEqual(
      expect.arrayContaining(['countersign_waiting 3', 'countersign_depth{queue="a"} 3']),
    )
    waiting = 0
    expect(valuesIn(await metrics.text())).toContain('countersign_waiting 0')
  })

  test('PROC-05 that cannot be read is left out and counted, and the others are there', async () => {
    const metrics = create()
    let broken = false
    const read = async () => {
      if (broken) throw new Error('postgres://user:hunter2@host')
      return 7
    }
    metrics.gauge({ name: 'flaky', help: 'h', read })
    metrics.gauge({ name: 'steady', help: 'h', read: async () => 1 })
    metrics.gauge({ name: 'silent', help: 'h', read: async () => undefined })
    expect(valuesIn(await metrics.text())).toContain('countersign_flaky 7')
    broken = true
    await metrics.text()
    const text = await metrics.text()
    expect(text).not.toContain('hunter2')
    const values = valuesIn(text)
    expect(values).toContain('countersign_steady 1')
    expect(values).toContain('countersign_gauge_failures_total{gauge="flaky"} 1')
    expect(values.filter((line) => /^countersign_(flaky|silent) /.test(line))).toEqual([])
  })

  test('PROC-05 that hangs holds nobody up for long, and is not asked again meanwhile', async () => {
    const metrics = create()
    const hanging = Promise.withResolvers<number>()
    let reads = 0
    metrics.gauge({
      name: 'hanging',
      help: 'h',
      read: () => {
        reads += 1
        return hanging.promise
      },
    })
    await Promise.all([metrics.text(), metrics.text(), metrics.text()])
    await metrics.text()
    expect(reads).toBe(1)
    hanging.resolve(5)
    expect(valuesIn(await metrics.text())).toContain('countersign_hanging 5')
  })
})

test('PROC-05 build_info tells by its labels what runs', async () => {
  const build = { version: '1.2.3', node: '24.0.0' }
  const metrics = createPrometheus({ tools: [], build })
  expect(valuesIn(await metrics.text())).toContain(
    'countersign_build_info{version="1.2.3",node="24.0.0"} 1',
  )
  expect(await create().text()).not.toContain('build_info')
})
