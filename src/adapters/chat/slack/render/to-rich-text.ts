import type { types } from '@slack/bolt'
import type { Marks, Run } from '../../render/runs/run.ts'

type RichTextElement = types.RichTextElement
type RichTextBlockElement = types.RichTextBlockElement

/** Code that Slack colours by its language, as its types do not know yet: of a diff, what comes and what goes. */
type Code = types.RichTextPreformatted & { readonly language?: 'diff' }

/** How a stretch of text stands on the page; Slack nests none of these in one another. */
type Shape = 'section' | 'preformatted' | 'quote'

interface Part {
  readonly shape: Shape
  readonly runs: Run[]
}

/**
 * Marked text as elements of a `rich_text` block (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block). Its
 * text is shown as it is: nothing in it can become a mention, a link or an emoji.
 */
export function toRichText(runs: readonly Run[]): RichTextBlockElement[] {
  const parts = partsOf(runs)
  return parts.flatMap((part, index): RichTextBlockElement[] => {
    const elements = elementsOf(trimmed(part, index > 0, index < parts.length - 1))
    if (elements.length === 0) return []
    if (part.shape === 'preformatted') {
      const text = elements.map(({ text: said }) => said).join('')
      const isDiff = part.runs[0]?.marks.pre === 'diff'
      const code: Code = {
        type: 'rich_text_preformatted',
        elements: [{ type: 'text', text }],
        ...(isDiff && { language: 'diff' as const }),
      }
      return [code]
    }
    const type = part.shape === 'quote' ? 'rich_text_quote' : 'rich_text_section'
    return [{ type, elements: elements.map(toElement) }]
  })
}

function partsOf(runs: readonly Run[]): Part[] {
  const parts: Part[] = []
  for (const piece of runs) {
    if (piece.text === '') continue
    const shape = shapeOf(piece.marks)
    const last = parts.at(-1)
    if (last?.shape === shape) last.runs.push(piece)
    else parts.push({ shape, runs: [piece] })
  }
  return parts
}

function shapeOf({ pre, quote }: Marks): Shape {
  if (pre !== undefined) return 'preformatted'
  return quote === true ? 'quote' : 'section'
}

/** Each part begins on a line of its own: the line breaks beside another part are not said again. */
function trimmed({ shape, runs }: Part, hasAbove: boolean, hasBelow: boolean): readonly Run[] {
  if (shape === 'preformatted') return runs
  const isGap = ({ text }: Run): boolean => /^\n+$/.test(text)
  const first = hasAbove ? runs.findIndex((piece) => !isGap(piece)) : 0
  const last = hasBelow ? runs.findLastIndex((piece) => !isGap(piece)) : runs.length - 1
  return first === -1 ? [] : runs.slice(first, last + 1)
}

interface Element {
  text: string
  readonly marks: Marks
}

/** Stretches that look alike are one. */
function elementsOf(runs: readonly Run[]): Element[] {
  const elements: Element[] = []
  for (const { text, marks } of runs) {
    const last = elements.at(-1)
    if (last !== undefined && looksLike(last.marks, marks)) last.text += text
    else elements.push({ text, marks })
  }
  return elements
}

/** Whether text with these marks goes on where text with those ended. */
export function looksLike(one: Marks, other: Marks): boolean {
  if (shapeOf(one) !== shapeOf(other)) return false
  if (one.pre !== undefined) return true
  return (
    one.href === other.href &&
    one.bold === other.bold &&
    one.italic === other.italic &&
    one.strike === other.strike &&
    one.code === other.code
  )
}

function toElement({ text, marks }: Element): RichTextElement {
  const { href } = marks
  const style = styleOf(marks)
  return href === undefined
    ? { type: 'text', text, ...style }
    : { type: 'link', url: href, text, ...style }
}

function styleOf({ bold, italic, strike, code }: Marks) {
  const style = {
    ...(bold === true && { bold }),
    ...(italic === true && { italic }),
    ...(strike === true && { strike }),
    ...(code === true && { code }),
  }
  return Object.keys(style).length === 0 ? {} : { style }
}
