import { visibleLine } from '../card-words.ts'
import { toVisible } from '../printable.ts'
import { headOf, tailOfText } from './cut-text.ts'

/** How much of a card's texts there is room for, in UTF-16 units after everything was made visible. */
export interface CardRoom {
  readonly what: number
  /** Of everything else, each. */
  readonly line: number
  /** Of the reasons and of the patterns, each. */
  readonly entries: number
}

export const allOfIt: CardRoom = { what: Infinity, line: Infinity, entries: Infinity }
/** With this every card fits into a message. */
export const leastRoom: CardRoom = { what: 600, line: 80, entries: 5 }

/** Text in one or several lines, cut in its middle with words that say so. */
export function putBlock(text: string, units: number, instead: string): string {
  const visible = toVisible(text)
  if (visible.length <= units) return visible
  const head = headOf(visible, Math.ceil(units * 0.6))
  const tail = tailOfText(visible, Math.floor(units * 0.4))
  const missing = [...visible].length - [...head].length - [...tail].length
  return `${head}\n⋯ ${missing} characters not shown here${instead} ⋯\n${tail}`
}

/** Text in a line of ours, the same. */
export function putLine(text: string, units: number): string {
  const visible = visibleLine(text)
  if (visible.length <= units) return visible
  const head = headOf(visible, units)
  const missing = [...visible].length - [...head].length
  return `${head} ⋯ ${missing} characters not shown here ⋯`
}
