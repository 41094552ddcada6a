/** Formats rows of cells as lines with aligned columns. */
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
