import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { referencePages } from './pages.ts'

/** Writes the generated pages of the reference: `npm run reference`. */
const root = join(import.meta.dirname, '../../..')
for (const [path, text] of Object.entries(await referencePages())) {
  await writeFile(join(root, path), text)
}
