/** Content of a cell, and its width in columns. */
export interface Cell {
  readonly shown: string
  readonly width: number
}

type Align = 'left' | 'right' | 'center' | null

/** A table with aligned columns; the first row is the header. */
export interface Grid {
  readonly width: number
  lines(): string[]
}

const between = ' │ '

/** Aligns the columns of rows, which may differ in length. `rule` draws the separators. */
export function layOut(
  rows: readonly (readonly Cell[])[],
  aligns: readonly Align[],
  rule: (line: string) => string = (line) => line,
): Grid {
  const [header = [], ...body] = rows
  const widths: number[] = []
  for (const row of rows)
    for (const [column, { width }] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, width)
  const draw = (row: readonly Cell[]): string =>
    widths
      .map((width, column) => pad(row[column], width, aligns[column] ?? null))
      .join(rule(between))
      .trimEnd()
  return {
    width: widths.reduce((sum, width) => sum + width, 0) + between.length * (widths.length - 1),
    lines: () => [
      draw(header),
      rule(widths.map((width) => '─'.repeat(width)).join('─┼─')),
      ...body.map(draw),
    ],
  }
}

function pad(cell: Cell | undefined, width: number, align: Align): string {
  const { shown, width: own } = cell ?? { shown: '', width: 0 }
  const free = width - own
  if (align === 'right') return ' '.repeat(free) + shown
  if (align !== 'center') return shown + ' '.repeat(free)
  const left = Math.floor(free / 2)
  return ' '.repeat(left) + shown + ' '.repeat(free - left)
}
