import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figure, type Floor, median, toFigure } from '../support/figure.ts'
import { type Effort, type Measurement, runs } from '../support/measurement.ts'
import { type Boxes, openBoxes, works } from '../support/open-boxes.ts'
import { repeat, timed } from '../support/repeat.ts'

/** PERF-02: what each sandbox costs, without queue and rows: a box's first call, and calls of a warm one. */
export const boxes: Measurement = {
  name: 'boxes',
  about: 'tools in a box, by sandbox driver',
  measure: async (effort) => {
    const bare = await repeat(runs(effort, 60), () => timed(bareTrue))
    const floor = { what: 'bash -c true', value: median(bare) }
    const figures = [toFigure('bash -c true, bare', 'ms', bare)]
    for (const driver of ['process', 'bubblewrap', 'docker']) {
      figures.push(...(await measureDriver(driver, floor, effort)))
    }
    return figures
  },
}

async function bareTrue(): Promise<void> {
  await once(spawn('bash', ['-c', 'true'], { stdio: 'ignore' }), 'exit')
}

/** Nothing for a driver that does not work here. */
async function measureDriver(driver: string, floor: Floor, effort: Effort): Promise<Figure[]> {
  if (!(await works(driver))) return []
  const starts = await repeat(runs(effort, 8), () => firstCall(driver))
  await using warm = await openBoxes(driver)
  await writeFile(join(warm.workspace, 'small'), `${'x'.repeat(63)}\n`.repeat(16))
  await writeFile(join(warm.workspace, 'large'), `${'x'.repeat(999)}\n`.repeat(10_000))
  const times = (count: number, tool: string, args: Readonly<Record<string, unknown>>) =>
    repeat(runs(effort, count), () => timed(() => warm.run(tool, args)))
  await times(5, 'bash', { command: 'true' })
  const command = await times(100, 'bash', { command: 'true' })
  const small = await times(200, 'read', { path: 'small' })
  const large = await times(20, 'read', { path: 'large', limit: 10_000 })
  return [
    toFigure(`${driver}: box start and \`true\``, 'ms', starts),
    toFigure(`${driver}: \`true\`, warm`, 'ms', command, {
      floor,
      aim: { of: 'above floor', atMost: 10 },
    }),
    toFigure(`${driver}: read of 1 KB`, 'ms', small),
    toFigure(`${driver}: read of a window of 10 MB`, 'ms', large),
  ]
}

/** Opening tries the driver out; the box of the workspace is started by its first call. */
async function firstCall(driver: string): Promise<number> {
  await using fresh: Boxes = await openBoxes(driver)
  return await timed(() => fresh.run('bash', { command: 'true' }))
}
