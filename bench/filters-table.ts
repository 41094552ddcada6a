import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filtersTable } from './support/filters-table.ts'

const file = join(import.meta.dirname, '../docs/reference/filters.md')
const text = await readFile(file, 'utf8')
const [before = '', rest = ''] = text.split('<!-- the table -->\n')
const after = rest.slice(rest.indexOf('<!-- its end -->'))
await writeFile(file, `${before}<!-- the table -->\n${filtersTable()}\n${after}`)
