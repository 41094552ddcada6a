import { splitToWidth } from '../render/display-width.ts'
import type { Paints } from '../render/paint.ts'
import { cardMarker, toVisible } from '../render/printable.ts'

/** Style of cards: without `columns` lines are not wrapped; `keys` means that single letters answer. */
export interface CardStyle {
  readonly paints: Paints
  readonly columns: number | undefined
  readonly keys: boolean
  readonly now: number
}

const labelWidth = 9

/** Paints a row; `line` is the complete line it belongs to. */
type RowPaint = (row: string, line: string) => string

export function labelled(
  label: string,
  values: readonly string[],
  style: CardStyle,
  paint: RowPaint = style.paints.plain,
): string[] {
  const indent = ' '.repeat(labelWidth)
  return values.flatMap((value, index) =>
    boxed(value, style, paint, { indent, label: index === 0 ? label.padEnd(labelWidth) : indent }),
  )
}

/** A line of the product; continuation rows are indented. */
export function headed(text: string, style: CardStyle, paint: RowPaint): string[] {
  return boxed(text, style, paint, { indent: ' '.repeat(labelWidth), label: '' })
}

interface BoxIndent {
  readonly indent: string
  /** Stands in place of the first row's indent. */
  readonly label?: string
}

/** Text after the marker, each row indented; the first may have a label instead. */
export function boxed(
  text: string,
  style: CardStyle,
  paint: RowPaint,
  { indent, label = indent }: BoxIndent,
): string[] {
  const { paints, columns } = style
  const room = columns === undefined ? Infinity : Math.max(10, columns - indent.length - 3)
  const rows = toVisible(text)
    .split('\n')
    .flatMap((line) => splitToWidth(line, room).map((row) => paint(row, line)))
  return rows.map((row, index) =>
    `${paints.card(cardMarker)} ${index === 0 ? paints.dim(label) : indent}${row}`.trimEnd(),
  )
}

/** Colours a unified diff; other text stays plain. */
export function diffPaint(what: string, paints: Paints): RowPaint {
  if (!/^@@ /m.test(what)) return paints.plain
  return (row, line) => {
    if (line.startsWith('+')) return paints.added(row)
    if (line.startsWith('-')) return paints.removed(row)
    return line.startsWith('@@') ? paints.dim(row) : row
  }
}
