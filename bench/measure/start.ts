import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildIfChanged, root } from '../../build/product.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { median, toFigure } from '../support/figure.ts'
import { type Measurement, runs } from '../support/measurement.ts'
import { repeat, timed } from '../support/repeat.ts'

const main = join(root, 'dist/main.js')

/** STORE-01: from the start of the process to its greeting, which is when it takes messages. */
export const start: Measurement = {
  name: 'start',
  about: '`countersign start` → its greeting; embedded Postgres and sandbox included',
  measure: async (effort) => {
    await buildIfChanged()
    const bare = await repeat(runs(effort, 5), () => timed(bareNode))
    const floor = { what: 'node -e 0', value: median(bare) }
    const first = await repeat(runs(effort, 3), () => inNewDirectory(greetingMs))
    const again = await inNewDirectory(async (directory) => {
      await greetingMs(directory)
      return repeat(runs(effort, 7), () => greetingMs(directory))
    })
    return [
      toFigure('the first start ever (makes the database)', 'ms', first, { floor }),
      toFigure('a start on a data directory', 'ms', again, {
        floor,
        aim: { of: 'median', atMost: 3_000 },
      }),
    ]
  },
}

async function inNewDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** With nothing to read on its standard input it greets, drains and ends; its end is waited for, not counted. */
async function greetingMs(directory: string): Promise<number> {
  const { path, home } = readEnvironment()
  const begun = performance.now()
  const child = spawn(process.execPath, [main, 'start'], {
    cwd: directory,
    env: { PATH: path, HOME: home, COUNTERSIGN_DATA_DIR: join(directory, 'data') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), exited])
  const tookMs = performance.now() - begun
  child.stdin.end()
  child.stdout.resume()
  const [code] = await exited
  if (code !== 0) throw new Error(`start ended with ${code}`)
  return tookMs
}

async function bareNode(): Promise<void> {
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
}
