import { type Marks, type Run, run } from './run.ts'

/** As much as a person reads in passing. */
const shortLines = 12
const shortUnits = 1_000

/** A block of code; `folds`: a long one need not stand open. */
export function codeBlock(text: string, language: string, { folds }: { folds: boolean }): Run {
  const marks: Marks = { pre: language }
  return run(text, folds && isLong(text) ? { ...marks, folded: true } : marks)
}

function isLong(text: string): boolean {
  return text.length > shortUnits || text.split('\n', shortLines + 1).length > shortLines
}
