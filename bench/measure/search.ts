import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ripgrep } from '../../test/support/ripgrep.ts'
import { type Figure, median, toFigure } from '../support/figure.ts'
import { type Effort, type Measurement, runs } from '../support/measurement.ts'
import { openBoxes } from '../support/open-boxes.ts'
import { repeat, timed } from '../support/repeat.ts'

const directories = 500
const filesEach = 100

/** PERF-04: grep and find_path over 50,000 files, beside the programs that people would use. */
export const search: Measurement = {
  name: 'search',
  about: `grep and find_path over ${directories * filesEach} files`,
  measure: async (effort) => {
    const tree = await mkdtemp(join(tmpdir(), 'countersign-tree-'))
    try {
      await plant(tree)
      return await measureTree(tree, effort)
    } finally {
      await rm(tree, { recursive: true, force: true })
    }
  },
}

async function plant(tree: string): Promise<void> {
  const text = 'export function something(value: number): number {\n  return value + 1\n}\n'.repeat(
    8,
  )
  for (let directory = 0; directory < directories; directory += 1) {
    const path = join(tree, `part${directory % 20}`, `module${directory}`)
    await mkdir(path, { recursive: true })
    const files = Array.from({ length: filesEach }, (_, file) => {
      const needle = file === 7 ? `const needle${directory} = 'found'\n` : ''
      return writeFile(join(path, `file${file}.${file % 3 === 0 ? 'ts' : 'js'}`), text + needle)
    })
    await Promise.all(files)
  }
}

async function measureTree(tree: string, effort: Effort): Promise<readonly Figure[]> {
  await using boxes = await openBoxes('auto', tree)
  const times = (work: () => Promise<unknown>) => repeat(runs(effort, 15), () => timed(work))
  const direct = await times(() =>
    program(ripgrep, ['-uu', '--no-messages', 'needle4[0-9]+', tree]),
  )
  const grep = await times(() =>
    boxes.run('grep', { pattern: 'needle4[0-9]+', max_results: 10_000 }),
  )
  const fd = ['/usr/bin/fdfind', '/usr/bin/fd'].find((path) => existsSync(path))
  const args = ['--unrestricted', '--glob', 'file7*.js', tree]
  const other = fd === undefined ? ['find', tree, '-name', 'file7*.js'] : [fd, ...args]
  const bare = await times(() => program(other[0] ?? '', other.slice(1)))
  const found = await times(() =>
    boxes.run('find_path', { path: '.', pattern: '**/file7*.js', max_results: 10_000 }),
  )
  const name = fd === undefined ? 'find' : 'fd'
  return [
    toFigure('ripgrep, bare', 'ms', direct),
    toFigure('grep', 'ms', grep, {
      floor: { what: 'ripgrep', value: median(direct) },
      aim: { of: 'median', atMost: Math.round(2 * median(direct)) },
    }),
    toFigure(`${name}, bare`, 'ms', bare),
    toFigure('find_path', 'ms', found, {
      floor: { what: name, value: median(bare) },
      aim: { of: 'median', atMost: Math.round(2 * median(bare)) },
    }),
  ]
}

async function program(file: string, args: readonly string[]): Promise<void> {
  const child = spawn(file, [...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'exit')
}
