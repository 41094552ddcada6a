import type { Table, TableRow } from 'mdast'
import { displayWidth } from './display-width.ts'
import { type InlineContext, inlinePieces } from './inline-pieces.ts'
import { type Cell, layOut } from './lay-out-table.ts'
import { wrapPieces } from './wrap-pieces.ts'

/** A table in aligned columns, or, where it is too wide, each row as lines of `name: value`. */
export function renderTable(table: Table, context: InlineContext, columns: number): string[] {
  const rows = table.children.map((row) => toCells(row, context))
  const [header, ...records] = rows
  if (header === undefined) return []
  const grid = layOut(rows, table.align ?? [], context.paints.dim)
  return grid.width > columns ? asRecords(header, records, context) : grid.lines()
}

function toCells(row: TableRow, context: InlineContext): Cell[] {
  const paint = context.paints.plain
  return row.children.map((cell) => {
    const pieces = inlinePieces(cell.children, context, paint)
    const plain = wrapPieces(
      pieces.map(({ text }) => ({ text, paint })),
      Infinity,
    ).join(' ')
    return { shown: wrapPieces(pieces, Infinity).join(' '), width: displayWidth(plain) }
  })
}

function asRecords(
  header: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  context: InlineContext,
): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [context.paints.dim('─')]),
    ...row.map(
      (cell, column) => `${context.paints.strong(header[column]?.shown ?? '')}: ${cell.shown}`,
    ),
  ])
}
