import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filtersTable } from '../../../../bench/support/filters-table.ts'
import { strategyOptions } from '../../../../src/rules/output/filters/filter-rule.ts'

const text = readFileSync(
  join(import.meta.dirname, '../../../../docs/reference/filters.md'),
  'utf8',
)

test('OUT-02 OUT-05 the table of filter savings in the documentation is current; `npm run filters-table` renews it', () => {
  expect(text).toContain(`<!-- the table -->\n${filtersTable()}\n<!-- its end -->`)
})

test('OUT-04 every strategy is documented', () => {
  const types = strategyOptions.options.map(({ shape }) => shape.type.value)
  expect(types).toHaveLength(9)
  for (const type of types) expect(text).toContain(`| \`${type}\` |`)
})
