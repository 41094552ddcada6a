import type { PhrasingContent } from 'mdast'
import { toPrintable, toPrintableLine } from '../printable.ts'
import { addressRuns, linkRuns } from './link-runs.ts'
import { lineBreak, type Marks, type Run, run } from './run.ts'

/** Addresses of `[text][label]`, by label. */
export type Targets = ReadonlyMap<string, string>

/** Running text of a markdown tree, made printable here: a tree can hold controls that its source did not. */
export function inlineRuns(
  nodes: readonly PhrasingContent[],
  targets: Targets,
  marks: Marks,
): Run[] {
  return nodes.flatMap((node) => runsOf(node, targets, marks))
}

function runsOf(node: PhrasingContent, targets: Targets, marks: Marks): Run[] {
  switch (node.type) {
    case 'text':
    case 'html':
      return [run(toPrintable(node.value).replaceAll('\n', ' '), marks)]
    case 'inlineCode':
      return [run(toPrintableLine(node.value), { ...marks, code: true })]
    case 'strong':
      return inlineRuns(node.children, targets, { ...marks, bold: true })
    case 'emphasis':
      return inlineRuns(node.children, targets, { ...marks, italic: true })
    case 'delete':
      return inlineRuns(node.children, targets, { ...marks, strike: true })
    case 'break':
      return [lineBreak(marks)]
    case 'link':
      return linkRuns(inlineRuns(node.children, targets, marks), node.url, marks)
    case 'linkReference': {
      const url = targets.get(node.identifier) ?? ''
      return linkRuns(inlineRuns(node.children, targets, marks), url, marks)
    }
    case 'image':
      return pictured(node.alt, node.url, marks)
    case 'imageReference':
      return pictured(node.alt, targets.get(node.identifier) ?? '', marks)
    case 'footnoteReference':
      return [run(`[${toPrintableLine(node.identifier)}]`, marks)]
    default:
      return []
  }
}

function pictured(alt: string | null | undefined, url: string, marks: Marks): Run[] {
  return [run(`🖼 ${toPrintableLine(alt ?? '') || 'image'}`, marks), ...addressRuns(url, marks)]
}
