import { setTimeout as delay } from 'node:timers/promises'
import {
  countStatements,
  type StatementCount,
  type StatementCounter,
} from '../support/count-statements.ts'
import { type Figure, toFigure } from '../support/figure.ts'
import type { Measurement } from '../support/measurement.ts'
import { type Bench, openBench } from '../support/open-bench.ts'
import { repeat } from '../support/repeat.ts'

const turns = 40
const idleMs = 10_000

/** What a turn asks of Postgres, periodic work taken out. */
export const statements: Measurement = {
  name: 'statements',
  about: 'statements to Postgres, begin and commit included',
  measure: async () => {
    using counter = countStatements()
    await using bench = await openBench()
    await bench.ask('warm', 'hello')
    await bench.ask('warm', 'run true')
    counter.take()
    await delay(idleMs)
    const idle = counter.take()
    return [
      ...figuresOf('a plain turn', await perTurn(bench, counter, idle, 'hello')),
      ...figuresOf('a turn with one tool call', await perTurn(bench, counter, idle, 'run true')),
      toFigure('idle, a second', '', [(idle.product + idle.queue) / (idleMs / 1_000)]),
    ]
  },
}

interface Counted {
  readonly product: number
  readonly queue: number
}

async function perTurn(
  bench: Bench,
  counter: StatementCounter,
  idle: StatementCount,
  text: string,
): Promise<Counted> {
  counter.take()
  const start = performance.now()
  await repeat(turns, () => bench.ask('counted', text))
  const share = (performance.now() - start) / idleMs
  const busy = counter.take()
  return {
    product: (busy.product - idle.product * share) / turns,
    queue: (busy.queue - idle.queue * share) / turns,
  }
}

function figuresOf(what: string, { product, queue }: Counted): Figure[] {
  return [
    toFigure(`${what}: the product’s own`, '', [product]),
    toFigure(`${what}: the queue’s and notifications`, '', [queue]),
  ]
}
