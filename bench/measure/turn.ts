import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { isCardShown } from '../../src/db/approval/card-copies.ts'
import { type Figure, type Floor, median, toFigure } from '../support/figure.ts'
import { type Effort, type Measurement, runs } from '../support/measurement.ts'
import { type Bench, openBench } from '../support/open-bench.ts'
import { repeat, timed } from '../support/repeat.ts'
import { epochRealtime, unixMs } from '../support/unix-time.ts'

const turnsAConversation = 20

/** PERF-03: what a turn costs besides its model. */
export const turn: Measurement = {
  name: 'turn',
  about: 'one person at a time; the model answers at once',
  measure: async (effort) => {
    await using bench = await openBench()
    return await measureTurns(bench, effort, 40)
  },
}

/** Turns of one person, and `startWithinMs` as the aim from a tap to the command's start (PERF-02). */
export async function measureTurns(
  bench: Bench,
  effort: Effort,
  startWithinMs: number,
): Promise<readonly Figure[]> {
  await repeat(20, (index) => bench.ask(`warm-${index % 2}`, 'hello'))
  const pings = await repeat(200, () => timed(() => ping(bench)))
  const floor = { what: 'select 1', value: median(pings) }
  return [
    toFigure('one statement to Postgres (select 1)', 'ms', pings),
    ...(await messages(bench, effort, floor)),
    ...(await questions(bench, effort, floor, startWithinMs)),
  ]
}

function ping(bench: Bench): Promise<unknown> {
  return sql`select 1`.execute(bench.product.store.db)
}

async function messages(bench: Bench, effort: Effort, floor: Floor): Promise<Figure[]> {
  const cpuMs: number[] = []
  const wallMs = await repeat(runs(effort, 200), async (index) => {
    const conversation = `message-${Math.floor(index / turnsAConversation)}`
    const cpu = process.cpuUsage()
    const start = performance.now()
    const { at } = await bench.ask(conversation, 'hello')
    const { user, system } = process.cpuUsage(cpu)
    cpuMs.push((user + system) / 1000)
    return at - start
  })
  return [
    toFigure('message → answer, without the model', 'ms', wallMs, {
      floor,
      aim: { of: 'median', atMost: 50 },
    }),
    toFigure('… CPU time of the Node process', 'ms', cpuMs),
  ]
}

async function questions(
  bench: Bench,
  effort: Effort,
  floor: Floor,
  startWithinMs: number,
): Promise<Figure[]> {
  const shown: number[] = []
  const startedAfter: number[] = []
  await repeat(runs(effort, 60), async (index) => {
    const conversation = `question-${index % 4}`
    const card = await bench.ask(conversation, 'run echo $EPOCHREALTIME', 'card')
    shown.push(card.at - bench.model.calledAt)
    if (card.message.kind !== 'card') throw new Error('no card')
    const approvalId = card.message.card.approvalId
    // Nobody taps what was not recorded as shown.
    while (!(await isCardShown(bench.product.store.db, approvalId))) await delay(1)
    const answer = bench.platform.next(conversation, 'answer')
    const tapped = unixMs()
    await bench.act(conversation, { kind: 'decision', approvalId, decision: { kind: 'approve' } })
    await answer
    startedAfter.push(epochRealtime(bench.model.result) - tapped)
  })
  return [
    toFigure('tool call of the model → question shown', 'ms', shown, {
      floor,
      aim: { of: 'median', atMost: 60 },
    }),
    toFigure('tap → the command runs', 'ms', startedAfter, {
      floor,
      aim: { of: 'median', atMost: startWithinMs },
    }),
  ]
}
