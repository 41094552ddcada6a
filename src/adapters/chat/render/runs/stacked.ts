import { lineBreak, type Run } from './run.ts'

export type Line = readonly Run[]

/** Groups of lines with an empty line between them, or a block of code, which has room around it. */
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
