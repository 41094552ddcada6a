import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type Figure, toFigure } from './figure.ts'
import { type Effort, runs } from './measurement.ts'
import { repeat } from './repeat.ts'

const worker = fileURLToPath(new URL('../output-worker.ts', import.meta.url))
// Little room for young garbage: what it may fill would hide what is needed.
const options = ['--disable-warning=ExperimentalWarning', '--expose-gc', '--max-semi-space-size=1']
const answer = z.object({ peak: z.number(), texts: z.number() })

const sizes = [1, 10, 50]

/**
 * What cleaning and filtering takes at its peak beside the text that came in: all of it, and without the texts that come out.
 * Each size in a process of its own. Only Linux tells.
 */
export async function outputMemory(effort: Effort): Promise<readonly Figure[]> {
  if (!existsSync('/proc/self/clear_refs')) return []
  const figures: Figure[] = []
  for (const size of sizes) {
    const seen = await repeat(runs(effort, 5), () => measured(size))
    const extra = seen.map(({ peak, texts }) => peak - texts)
    figures.push(
      toFigure(
        `memory, ${size} MB: at most`,
        'MB',
        seen.map(({ peak }) => peak),
      ),
      toFigure('… beyond the cleaned and the filtered text', 'MB', extra),
    )
  }
  return figures
}

async function measured(megabytes: number): Promise<z.infer<typeof answer>> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...options,
    worker,
    String(megabytes),
  ])
  return answer.parse(JSON.parse(stdout))
}
