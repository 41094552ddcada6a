import { setTimeout as delay } from 'node:timers/promises'
import { type Figure, median, quantile, toFigure } from '../support/figure.ts'
import { type Effort, type Measurement, runs } from '../support/measurement.ts'
import { canTellMemory } from '../support/memory-of.ts'
import { makePlace, type OutsideProduct, startOutside } from '../support/outside-product.ts'
import { repeat } from '../support/repeat.ts'

const peopleAtOnce = 20
const settleMs = 2_000

/** SHIP-06, SHIP-07: `countersign start` seen from outside: its start, what turns cost, and its memory after many. */
export const outside: Measurement = {
  name: 'outside',
  about:
    '`start` as a process, over the Bot API; stand-in and people are in another process, on the same cores',
  measure: async (effort) => [...(await starts(effort)), ...(await turns(effort))],
}

async function starts(effort: Effort): Promise<Figure[]> {
  const first = await repeat(runs(effort, 3), async () => {
    await using place = await makePlace()
    return await polledAfter(place.path)
  })
  await using place = await makePlace()
  await polledAfter(place.path)
  const again = await repeat(runs(effort, 9), () => polledAfter(place.path))
  return [
    toFigure('first start ever → first getUpdates', 'ms', first, {
      aim: { of: 'median', atMost: 1_600 },
    }),
    toFigure('start on a data directory → first getUpdates', 'ms', again, {
      aim: { of: 'median', atMost: 900 },
    }),
  ]
}

async function polledAfter(place: string): Promise<number> {
  await using product = await startOutside(place, 1)
  return product.polledAfterMs
}

async function turns(effort: Effort): Promise<Figure[]> {
  await using place = await makePlace()
  await using product = await startOutside(place.path, peopleAtOnce)
  const memory = [await memoryAfter(product, 0)]
  await together(product, 'hello', 2)
  const plain = [await together(product, 'hello', runs(effort, 23))]
  memory.push(await memoryAfter(product, 500))
  plain.push(await together(product, 'hello', runs(effort, 25)))
  memory.push(await memoryAfter(product, 1_000))
  plain.push(await together(product, 'hello', runs(effort, 25)))
  plain.push(await together(product, 'hello', runs(effort, 25)))
  memory.push(await memoryAfter(product, 2_000))
  await together(product, 'run true', 1)
  const tool = await repeat(3, () => together(product, 'run true', runs(effort, 8)))
  return [
    ...described('plain', plain, 100),
    ...described('with a tool call', tool, 40),
    ...memory.flat(),
  ]
}

interface Round {
  readonly perSecond: number
  readonly waits: readonly number[]
  /** Processor time a turn in milliseconds. */
  readonly node: number
  readonly postgres: number
  readonly standIn: number
}

/** People at once, each writing again as soon as they are answered. */
async function together(product: OutsideProduct, text: string, each: number): Promise<Round> {
  const before = product.processorMs()
  const start = performance.now()
  const waits = await Promise.all(
    Array.from({ length: peopleAtOnce }, (_, index) =>
      repeat(each, async () => {
        const isAnswer = ({ buttons }: { readonly buttons: readonly unknown[] }) =>
          buttons.length === 0
        return (await product.person(index).ask(text, isAnswer)).afterMs
      }),
    ),
  )
  const turns = peopleAtOnce * each
  const seconds = (performance.now() - start) / 1_000
  const after = product.processorMs()
  return {
    perSecond: turns / seconds,
    waits: waits.flat(),
    node: (after.node - before.node) / turns,
    postgres: (after.postgres - before.postgres) / turns,
    standIn: (after.standIn - before.standIn) / turns,
  }
}

function described(what: string, rounds: readonly Round[], atLeast: number): Figure[] {
  const all = (of: (round: Round) => number) => rounds.map(of)
  const waits = rounds.flatMap((round) => round.waits)
  return [
    toFigure(
      `${what}, ${peopleAtOnce} at once: turns`,
      '/s',
      all((round) => round.perSecond),
      {
        aim: { of: 'median', atLeast },
      },
    ),
    toFigure('… message → answer', 'ms', waits),
    toFigure('… p95 of it', 'ms', [quantile(waits, 0.95)]),
    toFigure(
      '… processor time a turn, Node',
      'ms',
      all((round) => round.node),
    ),
    toFigure(
      '… PostgreSQL',
      'ms',
      all((round) => round.postgres),
    ),
    toFigure(
      '… stand-in and people, not ours',
      'ms',
      all((round) => round.standIn),
    ),
  ]
}

async function memoryAfter(product: OutsideProduct, turns: number): Promise<Figure[]> {
  if (!canTellMemory) return []
  await delay(settleMs)
  const seen = await repeat(3, () => product.memory())
  const when = turns === 0 ? 'idle' : `after ${turns.toLocaleString('en-US')} plain turns`
  const of = (part: 'node' | 'postgres') => median(seen.map((each) => each[part]))
  return [
    toFigure(`memory (PSS) ${when}`, 'MB', [of('node') + of('postgres')], {
      aim: { of: 'median', atMost: turns === 0 ? 180 : 250 },
    }),
    toFigure('… Node', 'MB', [of('node')]),
    toFigure('… PostgreSQL', 'MB', [of('postgres')]),
  ]
}
