import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { newId } from '../../src/util/ids.ts'
import { median, toFigure } from '../support/figure.ts'
import { type Measurement, runs } from '../support/measurement.ts'
import { type Bench, openBench } from '../support/open-bench.ts'
import { repeat, timed } from '../support/repeat.ts'
import { openToolBench } from '../support/tool-bench.ts'

/** PERF-02: `true` in a warm box, there and back, beside `bash -c true` and an empty job. */
export const tool: Measurement = {
  name: 'tool',
  about: 'the command `true` in a warm box',
  measure: async (effort) => {
    await using bench = await openBench()
    const bare = await repeat(runs(effort, 60), () => timed(bareTrue))
    const floor = { what: 'bash -c true', value: median(bare) }
    const hops = await queueHops(bench, runs(effort, 100))
    await bench.ask('tool-0', 'run true')
    const whole = await repeat(runs(effort, 100), () => wholeTrip(bench))
    await using tools = await openToolBench(bench)
    await repeat(5, () => tools.run('true'))
    const trips = await repeat(runs(effort, 100), () => timed(() => tools.run('true')))
    return [
      toFigure('bash -c true, bare', 'ms', bare),
      toFigure('an empty job through the queue, one way', 'ms', hops),
      toFigure('signed job → queue → box → queue → result', 'ms', trips, {
        floor,
        aim: { of: 'above floor', atMost: 10 },
      }),
      toFigure('call of the model → its result before the model', 'ms', whole, { floor }),
    ]
  },
}

async function bareTrue(): Promise<void> {
  await once(spawn('bash', ['-c', 'true'], { stdio: 'ignore' }), 'exit')
}

async function queueHops(bench: Bench, count: number): Promise<number[]> {
  const { queue } = bench.product
  let arrived = Promise.withResolvers<void>()
  await using _ = await queue.consume('bench-hops', 1, async () => arrived.resolve())
  const hop = async (): Promise<void> => {
    arrived = Promise.withResolvers()
    await queue.add('bench-hops', newId(), {})
    await arrived.promise
  }
  // Awaited here: the consumer is gone when this returns.
  return await repeat(count, () => timed(hop))
}

/** Everything that lies between two model calls: rows, gate, audit, both queues, the box. */
async function wholeTrip(bench: Bench): Promise<number> {
  await bench.ask('tool-0', 'run true')
  return bench.model.resultAt - bench.model.calledAt
}
