import type { ExplainedTool } from '../../rules/tools/shown/explain-tools.ts'
import { alignRows, plainText } from '../print.ts'
import type { ExplainedMessage } from './explain-message.ts'

const headings = ['TOOL', 'SHOWN', 'SCORE', 'NEEDS', 'COMPLEXITY', 'WHY']

/** Formats tools, one a line, and what is unknown. */
export function explainedTools(explained: ExplainedMessage): readonly string[] {
  const { tools } = explained
  const rows = tools.length === 0 ? ['No tools.'] : alignRows([headings, ...tools.map(cellsOf)])
  return [...rows, ...unseenLines(explained)]
}

export function unseenLines({ unseen }: ExplainedMessage): readonly string[] {
  return unseen.map((what) => plainText(`not seen: ${what}`))
}

function cellsOf(explained: ExplainedTool): readonly string[] {
  const { tool, isShown, why, score, complexity, thinksFirst } = explained
  return [
    ...[tool, isShown ? 'yes' : 'no', score === undefined ? '-' : score.total.toFixed(2)],
    ...[needsOf(explained), `${complexity.toFixed(2)}${thinksFirst ? '*' : ''}`, why],
  ].map(plainText)
}

function needsOf({ requires, prefers }: ExplainedTool): string {
  const needs = [
    ...requires.map(({ tool, hasSucceeded }) => mark(tool, hasSucceeded)),
    ...prefers.map(({ tool, hasSucceeded }) => `~${mark(tool, hasSucceeded)}`),
  ]
  return needs.length === 0 ? '-' : needs.join(', ')
}

function mark(tool: string, hasSucceeded: boolean): string {
  return hasSucceeded ? `${tool} ✓` : tool
}
