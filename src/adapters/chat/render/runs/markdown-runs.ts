import type { Blockquote, Code, List, ListItem, PhrasingContent, RootContent, Table } from 'mdast'
import { displayWidth } from '../display-width.ts'
import { linkTargets } from '../inline-pieces.ts'
import { toPrintable, toPrintableLine } from '../printable.ts'
import { layOut, parseMarkdown } from '../render-markdown.ts'
import { joinBlocks, prefixLines } from './join-blocks.ts'
import { addressRuns, linkRuns } from './link-runs.ts'
import { lineBreak, type Marks, plain, plainRuns, type Run, run, textOf } from './run.ts'

/** Maximum width of a grid; wider ones would be wrapped on most screens. */
const gridColumns = 60

interface BlockContext {
  readonly targets: Targets
  /** Marks of all content within. */
  readonly marks: Marks
  /** Number of enclosing lists. */
  readonly depth: number
}

/** Converts a model's markdown to runs; one that is too expensive to parse becomes plain text. */
export function markdownRuns(markdown: string): Run[] {
  const asPlainText = (): Run[] => plainRuns(toPrintable(markdown))
  const tree = parseMarkdown(markdown)
  if (tree === undefined) return asPlainText()
  try {
    const context = { targets: linkTargets(tree), marks: plain, depth: 0 }
    return blocksRuns(tree.children, context)
  } catch (error) {
    // The tree is deeper than the stack: show the plain text.
    if (error instanceof RangeError) return asPlainText()
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

/** Names of languages, without characters that could end an attribute. */
const language = /^[A-Za-z0-9+#._-]{1,32}$/

function codeRuns(node: Code, marks: Marks): Run[] {
  const text = toPrintable(node.value)
  if (text.trim() === '') return []
  const name = node.lang ?? ''
  return [run(text, { ...marks, pre: language.test(name) ? name : '' })]
}

/** Platforms do not nest quotes: an inner one is marked with a bar. */
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

/** A table as a grid in code, or each row as lines of `name: value` if it is too wide or contains links. */
function tableRuns(table: Table, targets: Targets, marks: Marks): Run[] {
  const rows = table.children.map(({ children }) =>
    children.map((cell) => inlineRuns(cell.children, targets, marks)),
  )
  const cells = rows.map((row) =>
    row.map((runs) => ({ shown: textOf(runs), width: displayWidth(textOf(runs)) })),
  )
  const grid = layOut(cells, table.align ?? [])
  const hasLinks = rows.flat(2).some((piece) => piece.marks.href !== undefined)
  if (grid.width > gridColumns || hasLinks) return asRecords(rows, marks)
  return [run(grid.lines().join('\n'), { ...marks, pre: '' })]
}

function asRecords(rows: readonly (readonly (readonly Run[])[])[], marks: Marks): Run[] {
  const [header = [], ...records] = rows
  if (records.length === 0) return recordLines([header], header, marks)
  return recordLines(records, header, marks)
}

function recordLines(
  records: readonly (readonly (readonly Run[])[])[],
  header: readonly (readonly Run[])[],
  marks: Marks,
): Run[] {
  return records.flatMap((record, index) => {
    const lines = record.map((cell, column) => {
      const name = textOf(header[column] ?? [])
      return name === '' || records[0] === header
        ? cell
        : [run(`${name}:`, { ...marks, bold: true }), run(' ', marks), ...cell]
    })
    const gap: Run[] = index === 0 ? [] : [{ text: '\n\n', marks, breaks: 'block' }]
    return [...gap, ...lines.flatMap((line, at) => (at === 0 ? line : [lineBreak(marks), ...line]))]
  })
}

/** URLs of `[text][label]`, by label. */
type Targets = ReadonlyMap<string, string>

/**
 * Inline content of a markdown tree. It is made printable here, as a tree can contain control characters that its source did
 * not.
 */
function inlineRuns(nodes: readonly PhrasingContent[], targets: Targets, marks: Marks): Run[] {
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
      return imageRuns(node.alt, node.url, marks)
    case 'imageReference':
      return imageRuns(node.alt, targets.get(node.identifier) ?? '', marks)
    case 'footnoteReference':
      return [run(`[${toPrintableLine(node.identifier)}]`, marks)]
    default:
      return []
  }
}

function imageRuns(alt: string | null | undefined, url: string, marks: Marks): Run[] {
  return [run(`🖼 ${toPrintableLine(alt ?? '') || 'image'}`, marks), ...addressRuns(url, marks)]
}
