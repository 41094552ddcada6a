import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../support/child.ts'
import { toFigure } from '../support/figure.ts'
import { type Measurement, runs } from '../support/measurement.ts'
import { repeat } from '../support/repeat.ts'

const product = new URL('../product.ts', import.meta.url)

/** STORE-01: from the start of the process to ready, PostgreSQL included. */
export const start: Measurement = {
  name: 'start',
  about: 'start of the process → ready, embedded Postgres and sandbox included',
  measure: async (effort) => {
    const first = await repeat(runs(effort, 3), firstStart)
    const dataDir = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
    try {
      await readyMs(dataDir)
      const again = await repeat(runs(effort, 7), () => readyMs(dataDir))
      return [
        toFigure('first start ever (makes the database)', 'ms', first),
        toFigure('start on a data directory', 'ms', again, {
          aim: { of: 'median', atMost: 3_000 },
        }),
      ]
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  },
}

async function firstStart(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    return await readyMs(dataDir)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function readyMs(dataDir: string): Promise<number> {
  await using child = await startChild(product, [dataDir])
  return child.readyMs
}
