import type { Table } from 'mdast'
import { displayWidth } from '../display-width.ts'
import { layOut } from '../lay-out-table.ts'
import { inlineRuns, type Targets } from './inline-runs.ts'
import { lineBreak, type Marks, type Run, run, textOf } from './run.ts'

/** A wider grid would be broken within its rows, on most screens. */
const gridColumns = 60

/** A table as a grid of code; each row as lines of `name: value` where it is too wide, or its links would be lost. */
export function tableRuns(table: Table, targets: Targets, marks: Marks): Run[] {
  const rows = table.children.map(({ children }) =>
    children.map((cell) => inlineRuns(cell.children, targets, marks)),
  )
  const cells = rows.map((row) =>
    row.map((runs) => ({ shown: textOf(runs), width: displayWidth(textOf(runs)) })),
  )
  const grid = layOut(cells, table.align ?? [])
  const hasLinks = rows.flat(2).some((piece) => piece.marks.href !== undefined)
  if (grid.width > gridColumns || hasLinks) return asRecords(rows, marks)
  return [run(grid.lines().join('\n'), { ...marks, pre: '' })]
}

function asRecords(rows: readonly (readonly (readonly Run[])[])[], marks: Marks): Run[] {
  const [header = [], ...records] = rows
  if (records.length === 0) return inLines([header], header, marks)
  return inLines(records, header, marks)
}

function inLines(
  records: readonly (readonly (readonly Run[])[])[],
  header: readonly (readonly Run[])[],
  marks: Marks,
): Run[] {
  return records.flatMap((record, index) => {
    const lines = record.map((cell, column) => {
      const name = textOf(header[column] ?? [])
      return name === '' || records[0] === header
        ? cell
        : [run(`${name}:`, { ...marks, bold: true }), run(' ', marks), ...cell]
    })
    const gap: Run[] = index === 0 ? [] : [{ text: '\n\n', marks, breaks: 'block' }]
    return [...gap, ...lines.flatMap((line, at) => (at === 0 ? line : [lineBreak(marks), ...line]))]
  })
}
