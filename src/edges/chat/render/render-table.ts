import type { Table, TableRow } from 'mdast'
import { displayWidth } from './display-width.ts'
import { type InlineContext, inlinePieces } from './inline-pieces.ts'
import { wrapPieces } from './wrap-pieces.ts'

interface Cell {
  readonly painted: string
  readonly width: number
}

const between = ' │ '

/** A table in aligned columns, or, where it is too wide, each row as lines of `name: value`. */
export function renderTable(table: Table, context: InlineContext, columns: number): string[] {
  const [header, ...rows] = table.children.map((row) => toCells(row, context))
  if (header === undefined) return []
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.width ?? 0)),
  )
  const total = widths.reduce((sum, width) => sum + width, 0) + between.length * (widths.length - 1)
  if (total > columns) return asRecords(header, rows, context)
  const draw = (row: readonly Cell[]): string =>
    widths
      .map((width, column) => pad(row[column], width, table.align?.[column] ?? null))
      .join(context.paints.dim(between))
      .trimEnd()
  const rule = context.paints.dim(widths.map((width) => '─'.repeat(width)).join('─┼─'))
  return [draw(header), rule, ...rows.map(draw)]
}

function toCells(row: TableRow, context: InlineContext): Cell[] {
  const paint = context.paints.plain
  return row.children.map((cell) => {
    const pieces = inlinePieces(cell.children, context, paint)
    const plain = wrapPieces(
      pieces.map(({ text }) => ({ text, paint })),
      Infinity,
    ).join(' ')
    return { painted: wrapPieces(pieces, Infinity).join(' '), width: displayWidth(plain) }
  })
}

function pad(
  cell: Cell | undefined,
  width: number,
  align: 'left' | 'right' | 'center' | null,
): string {
  const { painted, width: own } = cell ?? { painted: '', width: 0 }
  const free = width - own
  if (align === 'right') return ' '.repeat(free) + painted
  if (align !== 'center') return painted + ' '.repeat(free)
  const left = Math.floor(free / 2)
  return ' '.repeat(left) + painted + ' '.repeat(free - left)
}

function asRecords(
  header: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  context: InlineContext,
): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [context.paints.dim('─')]),
    ...row.map(
      (cell, column) => `${context.paints.strong(header[column]?.painted ?? '')}: ${cell.painted}`,
    ),
  ])
}
