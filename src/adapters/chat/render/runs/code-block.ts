import { type Marks, type Run, run } from './run.ts'

/** Maximum size of a short block, which is never folded. */
const shortLines = 12
const shortUnits = 1_000

/** A block of code; with `folds`, a long one may be folded. */
export function codeBlock(text: string, language: string, { folds }: { folds: boolean }): Run {
  const marks: Marks = { pre: language }
  return run(text, folds && isLong(text) ? { ...marks, folded: true } : marks)
}

function isLong(text: string): boolean {
  return text.length > shortUnits || text.split('\n', shortLines + 1).length > shortLines
}
