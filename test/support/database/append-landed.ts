import { appendFile, readFile } from 'node:fs/promises'
import { landedFile, parseLanded, presentSteps } from './landed-migrations.ts'

/** Run by `npm run landed`: adds a line for each step that has none. Lines that are there stay as they are. */
const landed = parseLanded(await readFile(landedFile, 'utf8'))
const present = await presentSteps()
const added = present.filter(({ file }) => !landed.some((line) => line.file === file))
for (const { file, sha256 } of added) {
  await appendFile(landedFile, `${sha256}  ${file}\n`)
  process.stdout.write(`added ${file}\n`)
}
