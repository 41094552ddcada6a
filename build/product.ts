import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileList } from '../src/util/files.ts'
import { packagesOf, writeBillOfMaterials } from './bill-of-materials.ts'
import { isCurrent, type MadeFolder, makeFolder } from './made-folder.ts'
import type { Folders } from './own-files.ts'
import type { Parts } from './parts.ts'

/** The checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** The bundle that `npm start`, `npx countersign`, the images and tests run. */
export const product: MadeFolder = {
  root,
  dir: 'dist',
  sources: ['build', 'migrations', 'src', 'package.json', 'package-lock.json'],
}

const folders: Folders = {
  '': '..',
  src: '.',
  migrations: './migrations',
  postgres: './postgres',
  'src/executor': './executor',
}

/** What every command loads, what most of them load, and what `start` and the processes apart load. */
const parts: Parts = [
  ['entry', ['src/cli/begin.ts']],
  ['commands', ['src/cli/run-command-line.ts']],
  ['configuration', ['src/config/load.ts', 'src/cli/start/start.ts']],
  ['database', ['src/db/database.ts', 'src/app/open-store.ts']],
  ['embedded', ['src/db/embedded/start-embedded-postgres.ts', 'src/util/run-command.ts']],
  ['worker', ['src/app/processes/start-worker.ts']],
  ['queue', ['src/adapters/queue/bullmq-queue.ts']],
  ['product', ['src/app/processes/run-service.ts', 'src/app/processes/run-terminal.ts']],
  ['http', ['src/app/processes/serve-http.ts', 'src/gateway/create-api.ts']],
  ['telegram', ['src/gateway/serve-telegram.ts']],
]

/** Programs that run in boxes, each one file. */
const boxPrograms = {
  main: 'src/executor/main.ts',
  'serve-behind-proxy': 'src/executor/serve-behind-proxy.ts',
}

/** Builds the bundle unless it is of the present sources; answers whether it did. */
export async function buildIfChanged(): Promise<boolean> {
  if (isCurrent(product)) return false
  await buildProduct()
  return true
}

/** Builds the bundle: the program, its threads and the steps of the database, and in `executor/` the programs of boxes. */
export async function buildProduct(): Promise<void> {
  // By need: an installation that only runs has no bundler.
  const { writeBundle } = await import('./bundle.ts')
  const { writeClusterTemplate } = await import('./cluster-template.ts')
  const files = await readdir(join(root, 'migrations'))
  const steps = files.filter((file) => file.endsWith('.ts')).map((file) => parse(file).name)
  const migrations = steps.map((step) => [`migrations/${step}`, `migrations/${step}.ts`])
  await makeFolder(product, async (dir) => {
    const programs = { main: 'src/main.ts', ...Object.fromEntries(migrations) }
    const modules = await writeBundle({ root, programs, dir, folders, parts })
    await writeBillOfMaterials(dir, packagesOf(modules))
    for (const [name, path] of Object.entries(boxPrograms)) {
      const one = { root, programs: { [name]: path }, dir: join(dir, 'executor') }
      await writeBundle({ ...one, isOneFile: true })
    }
    await chmod(join(dir, 'main.js'), 0o755)
    await writeClusterTemplate(root, {
      folder: join(dir, 'postgres'),
      former: join(root, product.dir, 'postgres'),
    })
    await writeFileList(dir)
  })
}

/** Lists all files but maps, which an installation need not have. */
async function writeFileList(dir: string): Promise<void> {
  const names = await readdir(dir, { recursive: true })
  const lines: string[] = []
  for (const name of names.sort()) {
    const found = await stat(join(dir, name))
    if (found.isFile() && !name.endsWith('.map')) lines.push(`${found.size} ${name}\n`)
  }
  await writeFile(join(dir, fileList), lines.join(''))
}
