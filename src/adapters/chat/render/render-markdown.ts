import type {
  BlockContent,
  Code,
  DefinitionContent,
  List,
  ListItem,
  Root,
  RootContent,
  Table,
  TableRow,
} from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { displayWidth } from './display-width.ts'
import { type InlineContext, inlinePieces, linkTargets, wrapPieces } from './inline-pieces.ts'
import { isHeavy } from './is-heavy.ts'
import type { Paints } from './paint.ts'
import { toPrintable, toPrintableLine } from './printable.ts'

const between = ' │ '

type Block = BlockContent | DefinitionContent | RootContent

const narrowest = 20

/** Renders markdown for a terminal: styled, wrapped to `columns`, and without control sequences of others. */
export function renderMarkdown(markdown: string, columns: number, paints: Paints): string {
  const tree = parseMarkdown(markdown)
  if (tree === undefined) return toPrintable(markdown)
  try {
    const context = { paints, targets: linkTargets(tree) }
    return renderBlocks(tree.children, context, columns).join('\n')
  } catch (error) {
    // The tree is deeper than the stack: show the plain text.
    if (error instanceof RangeError) return toPrintable(markdown)
    throw error
  }
}

/** Renders blocks with empty lines between them. */
function renderBlocks(blocks: readonly Block[], context: InlineContext, columns: number): string[] {
  const rendered = blocks.map((block) => renderBlock(block, context, columns))
  return rendered
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

function renderBlock(block: Block, context: InlineContext, columns: number): string[] {
  const { paints } = context
  const room = Math.max(narrowest, columns)
  switch (block.type) {
    case 'paragraph':
      return wrapPieces(inlinePieces(block.children, context), room)
    case 'heading':
      return wrapPieces(
        [
          { text: `${'#'.repeat(block.depth)} `, paint: paints.heading },
          ...inlinePieces(block.children, context, paints.heading),
        ],
        room,
      )
    case 'code':
      return renderCode(block, paints)
    case 'list':
      return renderList(block, context, room)
    case 'blockquote':
      return prefixed(renderBlocks(block.children, context, room - 2), paints.dim('│ '))
    case 'table':
      return renderTable(block, context, room)
    case 'thematicBreak':
      return [paints.dim('─'.repeat(Math.min(room, 40)))]
    case 'html':
      return toPrintable(block.value).split('\n')
    case 'footnoteDefinition':
      return prefixed(
        renderBlocks(block.children, context, room - 4),
        '    ',
        paints.dim(`[${toPrintableLine(block.identifier)}] `),
      )
    default:
      return []
  }
}

/** Renders code without wrapping, so that it can be copied. */
function renderCode(code: Code, paints: Paints): string[] {
  const language = toPrintableLine(code.lang ?? '')
  const lines = toPrintable(code.value).split('\n')
  return [
    ...(language === '' ? [] : [paints.dim(`  ${language}:`)]),
    ...lines.map((line) => (line === '' ? '' : `  ${paints.code(line)}`)),
  ]
}

function renderList(list: List, context: InlineContext, columns: number): string[] {
  const first = list.start ?? 1
  const items = list.children.map((item, index) => {
    const bullet = list.ordered === true ? `${first + index}. ` : '• '
    return renderItem(item, bullet, context, columns)
  })
  const loose = list.spread === true || list.children.some((item) => item.spread === true)
  return items.flatMap((lines, index) => (loose && index > 0 ? ['', ...lines] : lines))
}

function renderItem(
  item: ListItem,
  bullet: string,
  context: InlineContext,
  columns: number,
): string[] {
  const lead = bullet + checkbox(item.checked)
  const room = columns - lead.length
  const lines =
    item.spread === true
      ? renderBlocks(item.children, context, room)
      : item.children.flatMap((child) => renderBlock(child, context, room))
  return prefixed(lines, ' '.repeat(lead.length), context.paints.dim(lead))
}

function checkbox(checked: boolean | null | undefined): string {
  if (checked === true) return '[x] '
  return checked === false ? '[ ] ' : ''
}

function prefixed(lines: readonly string[], prefix: string, firstPrefix = prefix): string[] {
  const body = lines.length === 0 ? [''] : lines
  return body.map((line, index) => ((index === 0 ? firstPrefix : prefix) + line).trimEnd())
}

/** Renders a table with aligned columns or, if it is too wide, each row as lines of `name: value`. */
function renderTable(table: Table, context: InlineContext, columns: number): string[] {
  const rows = table.children.map((row) => toCells(row, context))
  const [header, ...records] = rows
  if (header === undefined) return []
  const grid = layOut(rows, table.align ?? [], context.paints.dim)
  return grid.width > columns ? asRecords(header, records, context) : grid.lines()
}

function toCells(row: TableRow, context: InlineContext): Cell[] {
  const paint = context.paints.plain
  return row.children.map((cell) => {
    const pieces = inlinePieces(cell.children, context, paint)
    const plain = wrapPieces(
      pieces.map(({ text }) => ({ text, paint })),
      Infinity,
    ).join(' ')
    return { shown: wrapPieces(pieces, Infinity).join(' '), width: displayWidth(plain) }
  })
}

function asRecords(
  header: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  context: InlineContext,
): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [context.paints.dim('─')]),
    ...row.map(
      (cell, column) => `${context.paints.strong(header[column]?.shown ?? '')}: ${cell.shown}`,
    ),
  ])
}

const extensions = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }

/** Parses GitHub-flavoured markdown; undefined if it is too expensive to parse, and should be shown as plain text. */
export function parseMarkdown(markdown: string): Root | undefined {
  if (isProse(markdown)) return proseTree(markdown)
  if (isHeavy(markdown)) return undefined
  try {
    return fromMarkdown(markdown, extensions)
  } catch {
    return undefined
  }
}

/** A line that begins with a letter and has nothing in it that markdown might read as markup or as an address. */
const proseLine =
  /^\p{L}(?:[\p{L}\p{N} ,.;:!?'"()/=+%$“”‘’–—…-]*[\p{L}\p{N},.;:!?'"()/=+%$“”‘’–—…-])?$/u

const maxProse = 2_000

/** Whether a text is paragraphs of plain words, as most answers are: parsing takes a tenth of a turn's processor time. */
export function isProse(text: string): boolean {
  if (text.length > maxProse || /www\.|:\/\/|mailto:|xmpp:/i.test(text)) return false
  return text.split(/\n{1,2}/).every((line) => proseLine.test(line))
}

function proseTree(text: string): Root {
  const paragraphs = text
    .split('\n\n')
    .map((value): RootContent => ({ type: 'paragraph', children: [{ type: 'text', value }] }))
  return { type: 'root', children: paragraphs }
}

/** Content of a cell, and its width in columns. */
interface Cell {
  readonly shown: string
  readonly width: number
}

type Align = 'left' | 'right' | 'center' | null

/** A table with aligned columns; the first row is the header. */
interface Grid {
  readonly width: number
  lines(): string[]
}

/** Aligns the columns of rows, which may differ in length. `rule` draws the separators. */
export function layOut(
  rows: readonly (readonly Cell[])[],
  aligns: readonly Align[],
  rule: (line: string) => string = (line) => line,
): Grid {
  const [header = [], ...body] = rows
  const widths: number[] = []
  for (const row of rows)
    for (const [column, { width }] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, width)
  const draw = (row: readonly Cell[]): string =>
    widths
      .map((width, column) => pad(row[column], width, aligns[column] ?? null))
      .join(rule(between))
      .trimEnd()
  return {
    width: widths.reduce((sum, width) => sum + width, 0) + between.length * (widths.length - 1),
    lines: () => [
      draw(header),
      rule(widths.map((width) => '─'.repeat(width)).join('─┼─')),
      ...body.map(draw),
    ],
  }
}

function pad(cell: Cell | undefined, width: number, align: Align): string {
  const { shown, width: own } = cell ?? { shown: '', width: 0 }
  const free = width - own
  if (align === 'right') return ' '.repeat(free) + shown
  if (align !== 'center') return shown + ' '.repeat(free)
  const left = Math.floor(free / 2)
  return ' '.repeat(left) + shown + ' '.repeat(free - left)
}
