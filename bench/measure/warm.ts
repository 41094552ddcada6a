import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '../../src/util/ids.ts'
import { startChild } from '../support/child.ts'
import { type Figure, toFigure } from '../support/figure.ts'
import { type Measurement, runs } from '../support/measurement.ts'
import { type BoxesMemory, boxesMemoryOf, canTellMemory } from '../support/memory-of.ts'
import { works } from '../support/open-boxes.ts'
import { repeat } from '../support/repeat.ts'

const boxes = 50
const settleMs = 2_000
const worker = new URL('../boxes-worker.ts', import.meta.url)

/** The memory of a worker with many warm boxes, and theirs. */
export const warm: Measurement = {
  name: 'warm',
  about: `memory of a worker with ${boxes} warm boxes, by sandbox driver`,
  measure: async (effort) => {
    if (!canTellMemory) return []
    const figures: Figure[] = []
    for (const driver of ['process', 'bubblewrap', 'docker']) {
      if (!(await works(driver))) continue
      const seen = await repeat(runs(effort, 3), () => measureOne(driver))
      figures.push(...toFigures(driver, seen))
    }
    return figures
  },
}

async function measureOne(driver: string): Promise<BoxesMemory> {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-warm-'))
  try {
    // Commands may run as another user.
    await chmod(directory, 0o711)
    const keyPrefix = `bench-${newId()}/`
    await using child = await startChild(worker, [directory, driver, keyPrefix])
    await child.tell({ boxes })
    await delay(settleMs)
    return await boxesMemoryOf(child.pid, keyPrefix)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function toFigures(driver: string, seen: readonly BoxesMemory[]): Figure[] {
  const figure = (name: string, value: (memory: BoxesMemory) => number) =>
    toFigure(`${driver}: ${name}`, 'MB', seen.map(value))
  return [
    figure('the worker, at most (RSS)', ({ workerPeak }) => workerPeak),
    figure('all of its boxes', (memory) => memory.boxes),
    figure('… of it outside of them', ({ outside }) => outside),
  ]
}
