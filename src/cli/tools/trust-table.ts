import { alignRows } from '../align-rows.ts'
import { plainText } from '../plain-text.ts'
import type { TrustedTool } from './list-trust.ts'

const headings = ['TOOL', 'LEVEL', 'FAILED', 'SET BY', 'SINCE', 'REASON']

/** Lines for people, one a tool. */
export function trustTable(tools: readonly TrustedTool[]): readonly string[] {
  return alignRows([headings, ...tools.map(cellsOf)])
}

function cellsOf({ tool, level, executions, failed, ...set }: TrustedTool): readonly string[] {
  const { setBy = '-', setAt, reason = '' } = set
  const since = setAt?.toISOString().slice(0, 16).replace('T', ' ') ?? '-'
  const window = executions === 0 ? '-' : `${failed} of ${executions}`
  return [tool, level, window, setBy, since, reason].map(plainText)
}
