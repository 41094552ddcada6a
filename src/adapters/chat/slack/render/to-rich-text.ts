import type { types } from '@slack/bolt'
import type { Marks, Run } from '../../render/runs/run.ts'

type RichTextElement = types.RichTextElement
type RichTextBlockElement = types.RichTextBlockElement

/** Coloured code, which Slack's types lack: for a diff, additions and removals. */
type Code = types.RichTextPreformatted & { readonly language?: 'diff' }

/** Kind of a part; Slack does not nest them. */
type Shape = 'section' | 'preformatted' | 'quote'

interface Part {
  readonly shape: Shape
  readonly runs: Run[]
}

/**
 * Converts marked text to elements of a `rich_text` block (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block).
 * Its text is not parsed: it cannot become a mention, a link or an emoji.
 */
export function toRichText(runs: readonly Run[]): RichTextBlockElement[] {
  const parts = partsOf(runs)
  return parts.flatMap((part, index): RichTextBlockElement[] => {
    const elements = elementsOf(withoutGaps(part, index > 0, index < parts.length - 1))
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

/** Removes line breaks next to other parts, as each part starts on a new line. */
function withoutGaps({ shape, runs }: Part, hasAbove: boolean, hasBelow: boolean): readonly Run[] {
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

/** Merges neighbouring runs with the same style. */
function elementsOf(runs: readonly Run[]): Element[] {
  const elements: Element[] = []
  for (const { text, marks } of runs) {
    const last = elements.at(-1)
    if (last !== undefined && hasSameStyle(last.marks, marks)) last.text += text
    else elements.push({ text, marks })
  }
  return elements
}

/** Whether text with the two sets of marks would be one element. */
export function hasSameStyle(one: Marks, other: Marks): boolean {
  if (shapeOf(one) !== shapeOf(other)) return false
  if (one.pre !== undefined) return true
  return (
    one.href === other.href &&
    one.instant === other.instant &&
    one.bold === other.bold &&
    one.italic === other.italic &&
    one.strike === other.strike &&
    one.code === other.code
  )
}

/** Slack shows each reader the day and the time of the own zone, in the language of the client. */
const dateFormat = '{date_short_pretty} {time}'

function toElement({ text, marks }: Element): RichTextElement {
  const { href, instant } = marks
  const style = styleOf(marks)
  if (instant !== undefined)
    return { type: 'date', timestamp: instant, format: dateFormat, fallback: text, ...style }
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
