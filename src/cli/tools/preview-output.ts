import { loadFilters } from '../../app/load-filters.ts'
import { createProductRedactor } from '../../app/logs/create-product-redactor.ts'
import type { Config } from '../../config/config.ts'
import { cutOverflow } from '../../rules/output/cut-overflow.ts'
import {
  applyFilters,
  type FilteredCommand,
  filterStatistics,
} from '../../rules/output/filters/apply-filters.ts'
import { sanitise } from '../../rules/output/sanitise.ts'
import { newId } from '../../util/new-id.ts'

export interface OutputPreview {
  readonly text: string
  /** For whoever asked: what was done, and what of the configuration is not used. */
  readonly remarks: readonly string[]
}

/** What a model would be shown of a raw output, with nothing kept of it. */
export async function previewOutput(
  config: Config,
  raw: string,
  asked: FilteredCommand,
): Promise<OutputPreview> {
  const { filters, warnings } = await loadFilters(config)
  const clean = createProductRedactor(config).redact(sanitise(raw)).text
  const filtered = applyFilters(filters, clean, asked)
  const { threshold } = config.tools.overflow
  const { text, cut } = cutOverflow(filtered?.text ?? clean, threshold, newId())
  return {
    text,
    remarks: [
      ...warnings,
      ...(filtered === undefined ? ['no filter is for this command'] : toRemarks(filtered)),
      ...(cut ? [`more than ${threshold} characters: the middle was cut`] : []),
    ],
  }
}

function toRemarks(filtered: NonNullable<ReturnType<typeof applyFilters>>): readonly string[] {
  const statistics = filterStatistics(filtered) ?? 'no line was removed'
  return [
    statistics,
    ...filtered.rules.map(({ name, confidence }) => `filter ${name}: ${confidence}`),
  ]
}
