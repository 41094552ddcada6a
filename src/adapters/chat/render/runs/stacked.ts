import { lineBreak, type Run } from './run.ts'

export type Line = readonly Run[]

/** Joins groups of lines, with an empty line or a block of code between groups. */
export function stacked(groups: readonly (readonly Line[])[]): Run[] {
  const stack: Run[] = []
  for (const lines of groups) {
    for (const [index, line] of lines.entries()) {
      const above = stack.at(-1)
      const text = index > 0 || above?.marks.pre !== undefined ? '\n' : '\n\n'
      if (above !== undefined) stack.push({ ...lineBreak(), text })
      stack.push(...line)
    }
  }
  return stack
}
