import { type Figure, quantile, toFigure } from '../support/figure.ts'
import { type Measurement, runs } from '../support/measurement.ts'
import { type Bench, openBench } from '../support/open-bench.ts'
import { repeat } from '../support/repeat.ts'

/** PERF-03: many conversations at once, each going on as soon as it is answered. */
export const many: Measurement = {
  name: 'many',
  about: 'conversations at once, each sending its next message when the last is answered',
  measure: async (effort) => {
    await using bench = await openBench()
    await together(bench, 'warm', 20, 3)
    const rounds = await repeat(runs(effort, 5), (round) =>
      together(bench, `round-${round}`, 20, runs(effort, 10)),
    )
    const crowd = await together(bench, 'crowd', 200, runs(effort, 5))
    return [
      toFigure(
        '20 at once: turns',
        '/s',
        rounds.map(({ perSecond }) => perSecond),
        {
          aim: { of: 'median', atLeast: 100 },
        },
      ),
      toFigure(
        '… CPU time of the Node process a turn',
        'ms',
        rounds.map(({ cpuMs }) => cpuMs),
      ),
      toFigure(
        '… message → answer',
        'ms',
        rounds.flatMap(({ waits }) => waits),
      ),
      ...crowded(crowd),
    ]
  },
}

interface Round {
  readonly perSecond: number
  readonly cpuMs: number
  readonly waits: readonly number[]
}

async function together(bench: Bench, name: string, count: number, each: number): Promise<Round> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const waits = await Promise.all(
    Array.from({ length: count }, (_, index) => oneAfterTheOther(bench, `${name}-${index}`, each)),
  )
  const seconds = (performance.now() - start) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const turns = count * each
  return {
    perSecond: turns / seconds,
    cpuMs: (user + system) / 1_000 / turns,
    waits: waits.flat(),
  }
}

function oneAfterTheOther(bench: Bench, conversation: string, count: number): Promise<number[]> {
  return repeat(count, async () => {
    const start = performance.now()
    const { at } = await bench.ask(conversation, 'hello')
    return at - start
  })
}

function crowded({ perSecond, waits }: Round): Figure[] {
  return [
    toFigure('200 at once: turns', '/s', [perSecond]),
    toFigure('… message → answer', 'ms', waits),
    toFigure('… p95 of it', 'ms', [quantile(waits, 0.95)], {
      aim: { of: 'median', atMost: 1_000 },
    }),
  ]
}
