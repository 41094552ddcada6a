import { loadFilters } from '../../app/load-filters.ts'
import { createProductRedactor } from '../../app/logs/create-product-redactor.ts'
import type { Config } from '../../config/config.ts'
import {
  applyFilters,
  type FilteredCommand,
  filterStatistics,
} from '../../rules/output/filters/apply-filters.ts'
import { cutOverflow } from '../../rules/output/keep-ends.ts'
import { sanitise } from '../../rules/output/sanitise.ts'
import { newId } from '../../util/ids.ts'

export interface OutputPreview {
  readonly text: string
  /** Notes on what was done, and on configuration that is not used. */
  readonly remarks: readonly string[]
}

/** Processes a raw output as for a model, without storing it. */
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
