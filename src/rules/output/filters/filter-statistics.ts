import type { Filtered } from './apply-filters.ts'

/** OUT-06: `[shell] 342 lines -> 28 lines, 91.8% filtered`; undefined where no line was removed. */
export function filterStatistics({
  linesBefore,
  linesAfter,
}: Pick<Filtered, 'linesBefore' | 'linesAfter'>): string | undefined {
  if (linesAfter >= linesBefore) return undefined
  const share = ((linesBefore - linesAfter) / linesBefore) * 100
  return `[shell] ${linesBefore} lines -> ${linesAfter} lines, ${share.toFixed(1)}% filtered`
}
