import { splitToWidth } from '../render/display-width.ts'
import type { Paints } from '../render/paint.ts'
import { cardMarker, toVisible } from '../render/printable.ts'

/** How cards are written: `columns` is undefined where lines are not broken, `keys` where single letters answer. */
export interface CardStyle {
  readonly paints: Paints
  readonly columns: number | undefined
  readonly keys: boolean
  readonly now: number
}

const labelWidth = 9

/** Paints a row; `line` is the whole line that the row was broken from. */
type RowPaint = (row: string, line: string) => string

export function labelled(
  label: string,
  values: readonly string[],
  style: CardStyle,
  paint: RowPaint = style.paints.plain,
): string[] {
  const indent = ' '.repeat(labelWidth)
  return values.flatMap((value, index) =>
    boxed(value, indent, style, paint, index === 0 ? label.padEnd(labelWidth) : indent),
  )
}

/** A line of ours; what others' words in it push to further rows is indented too. */
export function headed(text: string, style: CardStyle, paint: RowPaint): string[] {
  return boxed(text, ' '.repeat(labelWidth), style, paint, '')
}

/** Text behind the marker, every row of it indented; the first may carry a label of ours instead. */
export function boxed(
  text: string,
  indent: string,
  style: CardStyle,
  paint: RowPaint,
  label = indent,
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

/** Colours for a unified diff, none for anything else. */
export function diffPaint(what: string, paints: Paints): RowPaint {
  if (!/^@@ /m.test(what)) return paints.plain
  return (row, line) => {
    if (line.startsWith('+')) return paints.added(row)
    if (line.startsWith('-')) return paints.removed(row)
    return line.startsWith('@@') ? paints.dim(row) : row
  }
}
