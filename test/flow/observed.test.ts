import { expect, test } from 'vitest'
import { createPrometheus } from '../../src/adapters/telemetry/create-prometheus.ts'
import { createTracing } from '../../src/adapters/telemetry/create-tracing.ts'
import { combineObservers, createLogObserver } from '../../src/app/logs/observe.ts'
import type { ProductEvent } from '../../src/ports/observer.ts'
import { silentLog } from '../../src/util/log.ts'
import { startCollector } from '../support/collector.ts'
import { createFlow } from '../support/flow.ts'
import { calls, createScriptedModel, say, toRequest } from '../support/scripted-model.ts'

test('PROC-05 one message is followed through gateway, agent and worker: by its turn in the log, as one trace, as numbers', async () => {
  await using collector = await startCollector()
  const lines: string[] = []
  const keep = (fields: object, message: string) =>
    void lines.push(JSON.stringify({ ...fields, msg: message }))
  const log = { debug: keep, info: keep, warn: keep, error: keep }
  const metrics = createPrometheus({ tools: ['bash'] })
  const events: ProductEvent[] = []
  {
    await using tracing = createTracing({
      endpoint: collector.endpoint,
      part: 'start',
      log: silentLog,
    })
    const recording = { record: (event: ProductEvent) => void events.push(event) }
    const forms = [createLogObserver(log), metrics.observer, tracing.observer, recording]
    const observer = combineObservers(log, ...forms)
    const command = "printf 'hunter%s' 3 # hunter2"
    const model = createScriptedModel([
      calls([toRequest('bash', { command })], 'hunter4'),
      say('done'),
    ])
    await using flow = await createFlow({ model, log, observer })
    await flow.say('hunter5')
    await flow.decide({ kind: 'approve' })
    expect(flow.platform.answers()).toEqual(['done'])
  }
  const [turn] = events.flatMap((event) => (event.kind === 'turn_started' ? [event.turnId] : []))
  const followed = lines.filter((line) => line.includes(turn ?? '?'))
  const told = followed.map((line) => JSON.parse(line).msg)
  // Of whom comes first among processes nothing is said: the worker may be faster than the agent’s own line.
  expect(told.toSorted()).toEqual(
    [
      'turn started',
      'message handled',
      'model answered',
      'call decided',
      'approval asked',
      'delivered',
      'delivered',
      'approval decided',
      'message handled',
      'call sent',
      'job taken',
      ...told.filter((message) => message === 'call started'),
      'call ran',
      'call settled',
      'model answered',
      'turn ended',
      'delivered',
    ].toSorted(),
  )
  expect(lines.join('\n')).not.toMatch(/hunter/)
  expect(JSON.stringify(events)).not.toMatch(/hunter/)
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(
    new Set([turn?.replaceAll('-', '')]),
  )
  expect(collector.spans.map(({ name }) => name).toSorted()).toEqual([
    'approval approved',
    'chat scripted',
    'chat scripted',
    'deliver answer',
    'deliver card',
    'deliver remark',
    'execute_tool bash',
    'gate ask',
    'run bash',
    'turn',
  ])
  const text = await metrics.text()
  expect(text).toMatch(/^countersign_turns_total\{state="done"\} 1$/m)
  expect(text).toMatch(/^countersign_calls_total\{tool="bash",verdict="ask"\} 1$/m)
  expect(text).toMatch(/^countersign_sandbox_starts_total\{driver="\w+",result="started"\} 1$/m)
})
