import type { Nodes, PhrasingContent } from 'mdast'
import { displayWidth } from './display-width.ts'
import type { Paint, Paints } from './paint.ts'
import { toPrintable, toPrintableLine } from './printable.ts'

export interface InlineContext {
  readonly paints: Paints
  /** URLs of `[text][label]`, by label. */
  readonly targets: ReadonlyMap<string, string>
}

/**
 * Inline content of a markdown tree as pieces. It is made printable here, as a tree can contain control characters that its
 * source did not.
 */
export function inlinePieces(
  nodes: readonly PhrasingContent[],
  context: InlineContext,
  paint: Paint = context.paints.plain,
): Piece[] {
  return nodes.flatMap((node) => piecesOf(node, context, paint))
}

function piecesOf(node: PhrasingContent, context: InlineContext, paint: Paint): Piece[] {
  const { paints } = context
  const within =
    (inner: Paint): Paint =>
    (text) =>
      paint(inner(text))
  switch (node.type) {
    case 'text':
      return [{ text: toPrintable(node.value).replaceAll('\n', ' '), paint }]
    case 'html':
      return [{ text: toPrintable(node.value), paint }]
    case 'inlineCode':
      return [{ text: toPrintableLine(node.value), paint: within(paints.code) }]
    case 'strong':
      return inlinePieces(node.children, context, within(paints.strong))
    case 'emphasis':
      return inlinePieces(node.children, context, within(paints.emphasis))
    case 'delete':
      return inlinePieces(node.children, context, within(paints.struck))
    case 'break':
      return [{ text: '\n', paint }]
    case 'link':
      return linkPieces(node.children, node.url, context, paint)
    case 'linkReference':
      return linkPieces(node.children, context.targets.get(node.identifier) ?? '', context, paint)
    case 'image':
      return imagePieces(node.alt, node.url, context, paint)
    case 'imageReference':
      return imagePieces(node.alt, context.targets.get(node.identifier) ?? '', context, paint)
    case 'footnoteReference':
      return [{ text: `[${toPrintableLine(node.identifier)}]`, paint: within(paints.dim) }]
    default:
      return []
  }
}

/** Shows the URL after the text, so that a link cannot misrepresent its target. */
function linkPieces(
  children: readonly PhrasingContent[],
  url: string,
  context: InlineContext,
  paint: Paint,
): Piece[] {
  const { paints } = context
  const address = toPrintableLine(url)
  const words = inlinePieces(children, context, (text) => paint(paints.link(text)))
  const shownText = words.map((piece) => piece.text).join('')
  if (address === '' || shownText === address || `mailto:${shownText}` === address) return words
  return [...words, { text: ` (${address})`, paint: paints.dim }]
}

function imagePieces(
  alt: string | null | undefined,
  url: string,
  context: InlineContext,
  paint: Paint,
): Piece[] {
  const words = toPrintableLine(alt ?? '') || 'image'
  return [
    { text: `[${words}]`, paint },
    { text: ` (${toPrintableLine(url)})`, paint: context.paints.dim },
  ]
}

/** URLs of reference definitions in a tree, by label. */
export function linkTargets(node: Nodes, found = new Map<string, string>()): Map<string, string> {
  if (node.type === 'definition' && !found.has(node.identifier))
    found.set(node.identifier, node.url)
  if ('children' in node) for (const child of node.children) linkTargets(child, found)
  return found
}

/**
 * Text in one style; `'
 * '` breaks the line.
 */
interface Piece {
  readonly text: string
  readonly paint: Paint
}

interface Word {
  readonly parts: readonly Piece[]
  readonly width: number
}

/** Wraps text into lines of at most `columns`, at blanks; a longer word gets a line of its own and overflows. */
export function wrapPieces(pieces: readonly Piece[], columns: number): string[] {
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const word of toWords(pieces)) {
    if (word === 'break') {
      lines.push(line)
      line = ''
      width = 0
      continue
    }
    const painted = word.parts.map(({ text, paint }) => paint(text)).join('')
    const fits = width + 1 + word.width <= columns
    if (width > 0 && !fits) lines.push(line)
    line = width > 0 && fits ? `${line} ${painted}` : painted
    width = width > 0 && fits ? width + 1 + word.width : word.width
  }
  return [...lines, line]
}

/** Splits pieces into words. A word may change style: pieces without a blank between them stay together. */
function toWords(pieces: readonly Piece[]): (Word | 'break')[] {
  const words: (Word | 'break')[] = []
  let parts: Piece[] = []
  const finish = (): void => {
    if (parts.length > 0)
      words.push({ parts, width: displayWidth(parts.map((part) => part.text).join('')) })
    parts = []
  }
  for (const { text, paint } of pieces) {
    for (const token of text.split(/(\n| +)/)) {
      if (token === '') continue
      if (token === '\n' || token.startsWith(' ')) finish()
      else parts.push({ text: token, paint })
      if (token === '\n') words.push('break')
    }
  }
  finish()
  return words
}
