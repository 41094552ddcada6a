import { load } from 'cheerio'
import { TextWriter } from './text-writer.ts'

/** Elements with content that readers do not see. */
const unseen: ReadonlySet<string> = new Set(
  'script style template head svg math iframe object embed canvas audio video map datalist noframes'.split(
    ' ',
  ),
)

const hiding = /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)/i

const paragraphs: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 pre blockquote table article section main header footer nav aside form fieldset figure dl details hr'.split(
    ' ',
  ),
)

const lines: ReadonlySet<string> = new Set(
  'div li tr dt dd option legend summary figcaption caption address body center title thead tbody tfoot optgroup'.split(
    ' ',
  ),
)

const longestUrl = 2_000

/** WEB-01: converts a page to readable text: headings, lists, paragraphs and rows as lines, links kept, entities decoded. */
export function htmlToText(html: string, url: string, maxCharacters: number): string {
  const $ = load(html)
  const writer = new TextWriter(maxCharacters)
  const title = $('head title').first().text()
  if (title.trim() !== '') {
    writer.text(`Title: ${title}`)
    writer.break(2)
  }
  const base = resolve($('base[href]').first().attr('href') ?? '', url) ?? url
  const { enter, leave } = reading(writer, base)
  walk($.root().toArray(), enter, leave)
  return writer.toString()
}

function reading(writer: TextWriter, base: string) {
  const linkOf = (node: PageNode): string | undefined =>
    node.name === 'a' ? resolve(node.attribs?.['href'] ?? '', base) : undefined
  return {
    enter: (node: PageNode): boolean => {
      if (writer.isFull) return false
      if (node.type === 'text') writer.text(node.data ?? '')
      if (node.type === 'root') return true
      if (node.type !== 'tag' || !isShown(node)) return false
      enterElement(node, writer)
      if (linkOf(node) !== undefined) writer.openLink()
      return true
    },
    leave: (node: PageNode): void => {
      const link = linkOf(node)
      if (link !== undefined) writer.closeLink(link)
      leaveElement(node, writer)
    },
  }
}

function enterElement({ name = '', attribs = {} }: PageNode, writer: TextWriter): void {
  writer.break(breaksOf(name, writer))
  const heading = /^h([1-6])$/.exec(name)
  if (heading !== null) writer.mark(`${'#'.repeat(Number(heading[1]))} `)
  if (name === 'ul' || name === 'ol' || name === 'menu') writer.openList(name === 'ol')
  if (name === 'li') writer.entry()
  if (name === 'pre') writer.openVerbatim()
  if (name === 'td' || name === 'th') writer.cell()
  if (name === 'tr') writer.row()
  if (name === 'hr') writer.text('---')
  if (name === 'br') writer.newLine()
  const alt = name === 'img' ? (attribs['alt'] ?? '').trim() : ''
  if (alt !== '') writer.text(`[image: ${alt}]`)
}

function leaveElement({ name = '' }: PageNode, writer: TextWriter): void {
  if (name === 'ul' || name === 'ol' || name === 'menu') writer.closeList()
  if (name === 'pre') writer.closeVerbatim()
  if (name === 'li' || /^h[1-6]$/.test(name)) writer.mark('')
  writer.break(breaksOf(name, writer))
}

function breaksOf(name: string, writer: TextWriter): number {
  if (paragraphs.has(name)) return 2
  if (lines.has(name)) return 1
  const isList = name === 'ul' || name === 'ol' || name === 'menu'
  if (!isList) return 0
  return writer.isInList ? 1 : 2
}

/** Resolves a link; undefined unless it leads to another page. */
function resolve(href: string, base: string): string | undefined {
  const text = href.trim()
  if (text === '' || text.startsWith('#') || text.length > longestUrl) return undefined
  if (!URL.canParse(text, base)) return undefined
  const { href: whole, protocol } = new URL(text, base)
  return /^(?:https?|mailto|tel):$/.test(protocol) && whole.length <= longestUrl ? whole : undefined
}

/** WEB-01: true if an element is visible, judging by its own attributes. */
function isShown({ name = '', attribs = {} }: PageNode): boolean {
  if (unseen.has(name)) return false
  if (attribs['hidden'] !== undefined || attribs['aria-hidden'] === 'true') return false
  if (name === 'dialog' && attribs['open'] === undefined) return false
  return !hiding.test((attribs['style'] ?? '').slice(0, 2_000))
}

/** Part of the parser's nodes that is used. */
export interface PageNode {
  /** `tag`, `script`, `style`, `text`, `comment`, `cdata`, `directive` or `root`. */
  readonly type: string
  readonly name?: string
  readonly data?: string
  readonly attribs?: Readonly<Record<string, string>>
  readonly children?: readonly PageNode[]
}

/** Visits nodes in document order without recursion, since the nesting depth is chosen by the page's author. */
export function walk(
  roots: readonly PageNode[],
  enter: (node: PageNode) => boolean,
  leave: (node: PageNode) => void = () => undefined,
): void {
  const open: { readonly node: PageNode; readonly isDone: boolean }[] = []
  const push = (nodes: readonly PageNode[]): void => {
    for (let at = nodes.length - 1; at >= 0; at -= 1) {
      const node = nodes[at]
      if (node !== undefined) open.push({ node, isDone: false })
    }
  }
  push(roots)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, isDone } = next
    if (isDone) leave(node)
    else if (enter(node)) {
      open.push({ node, isDone: true })
      push(node.children ?? [])
    }
  }
}
