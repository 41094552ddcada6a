/** Rows of cells as lines, each column as wide as its longest cell. */
export function alignRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, index) =>
    Math.max(...rows.map((row) => lengthOf(row[index]))),
  )
  return rows.map((row) => {
    const cells = row.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell)))
    return cells.join('  ').trimEnd()
  })
}

function lengthOf(text = ''): number {
  return [...text].length
}
