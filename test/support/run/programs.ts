import { join, relative } from 'node:path'
import { isCurrent, type MadeFolder, makeFolder } from '../../../build/made-folder.ts'
import { buildIfChanged, product, root } from '../../../build/product.ts'

/** What tests start: the bundle, as people do. */
export const mainProgram = join(root, 'dist/main.js')
/** The folder of the bundle's program in a box; its entry is `main.mjs`. */
export const executorFolder = join(root, 'dist/executor')

const programs: MadeFolder = {
  root,
  dir: 'node_modules/.cache/countersign-tests/programs',
  sources: [...product.sources, 'test/support/product-process.ts'],
}
/** Of `product-process.ts`, made as the bundle is. */
export const productProcess = join(root, programs.dir, 'product-process.js')

/** Builds what tests start, where it is not of the present sources. */
export async function buildPrograms(): Promise<void> {
  await buildIfChanged()
  if (isCurrent(programs)) return
  const { writeBundle } = await import('../../../build/bundle.ts')
  const up = relative(join(root, programs.dir), root)
  await makeFolder(programs, async (dir) => {
    await writeBundle({
      root,
      programs: { 'product-process': 'test/support/product-process.ts' },
      dir,
      folders: {
        '': up,
        migrations: `${up}/dist/migrations`,
        postgres: `${up}/dist/postgres`,
        'src/executor': `${up}/dist/executor`,
      },
    })
  })
}
