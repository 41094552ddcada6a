import { applyFilters } from '../../src/rules/output/filters/apply-filters.ts'
import { builtInRules, compileFilters } from '../../src/rules/output/filters/compile-filters.ts'
import { type Sample, samples } from '../../test/rules/output/filters/samples.ts'

const { filters } = compileFilters()

/** For docs/reference/filters.md: each sample before and after its filters, in the order of the rules. */
export function filtersTable(): string {
  const rows = samples.flatMap(toRow).sort((a, b) => a.order - b.order)
  return [
    '| rule | command | exit | lines | tokens | less |',
    '|---|---|---|---|---|---|',
    ...rows.map(({ text }) => text),
  ].join('\n')
}

function toRow({ command, exitCode, text, isCaptured }: Sample) {
  const filtered = applyFilters(filters, text, { command, exitCode })
  if (filtered === undefined) return []
  const [rule] = filtered.rules
  const { linesBefore, linesAfter } = filtered
  const [before, after] = [tokensOf(text), tokensOf(filtered.text)]
  const less = `${Math.max(0, Math.round((1 - after / before) * 100))}%`
  const cells = [
    `\`${rule?.name}\``,
    `\`${command}\`${isCaptured ? '' : ' ¹'}`,
    exitCode,
    `${linesBefore} → ${linesAfter}`,
    `${before} → ${after}`,
    less,
  ]
  const order = builtInRules.findIndex(({ name }) => name === rule?.name)
  return [{ order, text: `| ${cells.join(' | ')} |` }]
}

/** As near as any count without a model's own. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}
