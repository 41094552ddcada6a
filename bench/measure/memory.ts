import { setTimeout as delay } from 'node:timers/promises'
import { type Child, startChild } from '../support/child.ts'
import { type Figure, toFigure } from '../support/figure.ts'
import { type Measurement, runs } from '../support/measurement.ts'
import { canTellMemory, type Memory, memoryOf } from '../support/memory-of.ts'
import { repeat } from '../support/repeat.ts'

const product = new URL('../memory-product.ts', import.meta.url)
const settleMs = 2_000

/** Memory of a process of its own: proportional set size, so that what processes share counts once. */
export const memory: Measurement = {
  name: 'memory',
  about: 'proportional set size (PSS); what processes share counts once',
  measure: async (effort) => {
    if (!canTellMemory) return []
    const seen = await repeat(runs(effort, 3), async () => {
      await using child = await startChild(product)
      const idle = await settled(child)
      await child.tell({ turns: 200, text: 'hello' })
      const afterTurns = await settled(child)
      await child.tell({ turns: 1, text: 'run true' })
      return { idle, afterTurns, withBox: await settled(child) }
    })
    const aim = { aim: { of: 'median', atMost: 250 } } as const
    return [
      ...inParts(
        'idle',
        seen.map(({ idle }) => idle),
        aim,
      ),
      ...inParts(
        'after 200 turns',
        seen.map(({ afterTurns }) => afterTurns),
        aim,
      ),
      toFigure(
        'one warm box',
        'MB',
        seen.map(({ withBox }) => withBox.boxes),
      ),
    ]
  },
}

async function settled(child: Child): Promise<Memory> {
  await delay(settleMs)
  return memoryOf(child.pid, child.postmaster)
}

function inParts(when: string, seen: readonly Memory[], aim: Pick<Figure, 'aim'>): Figure[] {
  const all = seen.map(({ node, postgres }) => node + postgres)
  return [
    toFigure(`${when}: Node and Postgres`, 'MB', all, aim),
    toFigure(
      '… Node',
      'MB',
      seen.map(({ node }) => node),
    ),
    toFigure(
      '… Postgres, all its processes',
      'MB',
      seen.map(({ postgres }) => postgres),
    ),
  ]
}
