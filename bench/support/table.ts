import { type Figure, meetsAim } from './figure.ts'

const heads = ['', 'best', 'median', 'p95', 'runs', 'floor', 'ratio', 'aim', '']

/** The figures of one measurement as lines of text, columns aligned. */
export function toTable(figures: readonly Figure[]): string {
  const rows = [heads, ...figures.map(toRow)]
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => widthOf(row, column))))
  return rows.map((row) => joined(row, widths)).join('\n')
}

function toRow(figure: Figure): string[] {
  const { name, unit, best, median, p95, runs, floor } = figure
  return [
    name,
    withUnit(best, unit),
    withUnit(median, unit),
    withUnit(p95, unit),
    String(runs),
    floor === undefined ? '' : `${withUnit(floor.value, unit)} ${floor.what}`,
    floor === undefined || floor.value === 0 ? '' : `${short(median / floor.value)}×`,
    aimOf(figure),
    wordOf(meetsAim(figure)),
  ]
}

function wordOf(met: boolean | undefined): string {
  if (met === undefined) return ''
  return met ? 'met' : 'MISSED'
}

function aimOf({ aim, unit }: Figure): string {
  if (aim === undefined) return ''
  const { atMost, atLeast } = aim
  const bound = atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`
  return `${bound} ${unit}${aim.of === 'median' ? '' : ' above floor'}`.trimEnd()
}

function withUnit(value: number, unit: string): string {
  return `${short(value)} ${unit}`.trimEnd()
}

function short(value: number): string {
  if (value === 0) return '0'
  const digits = Math.abs(value) >= 100 ? 0 : 2 - Math.floor(Math.log10(Math.abs(value)))
  return value.toFixed(Math.min(Math.max(digits, 0), 3))
}

function widthOf(row: readonly string[], column: number): number {
  return row[column]?.length ?? 0
}

/** Text to the left, numbers to the right. */
function joined(row: readonly string[], widths: readonly number[]): string {
  const isText = new Set([0, 5, 7, 8])
  return row
    .map((cell, column) => {
      const width = widths[column] ?? 0
      return isText.has(column) ? cell.padEnd(width) : cell.padStart(width)
    })
    .join('  ')
    .trimEnd()
}
