import type { TrustedTool } from '../app/list-trust.ts'
import { plainText } from './plain-text.ts'

const headings = ['TOOL', 'LEVEL', 'FAILED', 'SET BY', 'SINCE', 'REASON']

/** Lines for people, one a tool. */
export function trustTable(tools: readonly TrustedTool[]): readonly string[] {
  const rows = [headings, ...tools.map(cellsOf)]
  const widths = headings.map((_, index) => Math.max(...rows.map((row) => lengthOf(row[index]))))
  return rows.map((row) =>
    row
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell)))
      .join('  ')
      .trimEnd(),
  )
}

function cellsOf({ tool, level, executions, failed, ...set }: TrustedTool): readonly string[] {
  const { setBy = '-', setAt, reason = '' } = set
  const since = setAt?.toISOString().slice(0, 16).replace('T', ' ') ?? '-'
  const window = executions === 0 ? '-' : `${failed} of ${executions}`
  return [tool, level, window, setBy, since, reason].map(plainText)
}

function lengthOf(text = ''): number {
  return [...text].length
}
