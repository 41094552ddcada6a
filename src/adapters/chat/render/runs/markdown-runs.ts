import type { Blockquote, Code, List, ListItem, RootContent } from 'mdast'
import { linkTargets } from '../inline-pieces.ts'
import { parseMarkdown } from '../parse-markdown.ts'
import { toPrintable, toPrintableLine } from '../printable.ts'
import { inlineRuns, type Targets } from './inline-runs.ts'
import { joinBlocks, prefixLines } from './join-blocks.ts'
import { type Marks, plain, plainRuns, type Run, run } from './run.ts'
import { tableRuns } from './table-runs.ts'

interface BlockContext {
  readonly targets: Targets
  /** Those of everything within. */
  readonly marks: Marks
  /** How many lists are around. */
  readonly depth: number
}

/** A model's markdown as marked text; one that is too heavy to parse as it is. */
export function markdownRuns(markdown: string): Run[] {
  const asItIs = (): Run[] => plainRuns(toPrintable(markdown))
  const tree = parseMarkdown(markdown)
  if (tree === undefined) return asItIs()
  try {
    const context = { targets: linkTargets(tree), marks: plain, depth: 0 }
    return blocksRuns(tree.children, context)
  } catch (error) {
    // A tree that is deeper than the stack: its words are still worth showing.
    if (error instanceof RangeError) return asItIs()
    throw error
  }
}

function blocksRuns(blocks: readonly RootContent[], context: BlockContext, tight = false): Run[] {
  const parts = blocks.map((block) => ({
    runs: blockRuns(block, context),
    isHeading: block.type === 'heading',
  }))
  return joinBlocks(parts, context.marks, tight)
}

function blockRuns(block: RootContent, context: BlockContext): Run[] {
  const { targets, marks } = context
  switch (block.type) {
    case 'paragraph':
      return inlineRuns(block.children, targets, marks)
    case 'heading':
      return inlineRuns(block.children, targets, { ...marks, bold: true })
    case 'code':
      return codeRuns(block, marks)
    case 'list':
      return listRuns(block, context)
    case 'blockquote':
      return quoteRuns(block, context)
    case 'table':
      return tableRuns(block, targets, marks)
    case 'thematicBreak':
      return [run('──────────', marks)]
    case 'html':
      return plainRuns(toPrintable(block.value), marks)
    case 'footnoteDefinition': {
      const lead = `[${toPrintableLine(block.identifier)}] `
      return prefixLines(blocksRuns(block.children, context), lead, '', marks)
    }
    default:
      return []
  }
}

/** Letters that name languages, and nothing that an attribute could end with. */
const language = /^[A-Za-z0-9+#._-]{1,32}$/

function codeRuns(node: Code, marks: Marks): Run[] {
  const text = toPrintable(node.value)
  if (text.trim() === '') return []
  const name = node.lang ?? ''
  return [run(text, { ...marks, pre: language.test(name) ? name : '' })]
}

/** Quotes do not nest, on any platform: one within another is marked by a bar. */
function quoteRuns({ children }: Blockquote, context: BlockContext): Run[] {
  const { marks } = context
  const runs = blocksRuns(children, { ...context, marks: { ...marks, quote: true } })
  return marks.quote === true ? prefixLines(runs, '│ ', '│ ', marks) : runs
}

const bullets = ['•', '◦', '▪']
const indent = '    '

function listRuns(list: List, context: BlockContext): Run[] {
  const first = list.start ?? 1
  const loose = list.spread === true || list.children.some((item) => item.spread === true)
  const bullet = bullets[Math.min(context.depth, bullets.length - 1)] ?? ''
  const items = list.children.map((item, index) => ({
    runs: itemRuns(item, list.ordered === true ? `${first + index}.` : bullet, list, context),
    isHeading: false,
  }))
  return joinBlocks(items, context.marks, !loose)
}

function itemRuns(item: ListItem, bullet: string, list: List, context: BlockContext): Run[] {
  const inner = { ...context, depth: context.depth + 1 }
  const runs = blocksRuns(item.children, inner, item.spread !== true)
  return prefixLines(runs, lead(item, bullet, list), indent, context.marks)
}

function lead({ checked }: ListItem, bullet: string, { ordered }: List): string {
  const box = checked === true ? '☑ ' : '☐ '
  if (typeof checked !== 'boolean') return `${bullet} `
  return ordered === true ? `${bullet} ${box}` : box
}
