import { visibleLine } from '../card-words.ts'
import { toVisible } from '../printable.ts'
import { headOf, tailOfText } from './cut-text.ts'

/** Room for the texts of a card, in UTF-16 units after hidden characters were made visible. */
export interface CardRoom {
  readonly what: number
  /** For each other line. */
  readonly line: number
  /** Maximum number of reasons, and of patterns. */
  readonly entries: number
}

export const fullRoom: CardRoom = { what: Infinity, line: Infinity, entries: Infinity }
/** With this room every card fits into a message. */
export const minRoom: CardRoom = { what: 600, line: 80, entries: 5 }

/** Cuts a text of several lines in the middle, with a note of the omission. */
export function putBlock(text: string, units: number, instead: string): string {
  const visible = toVisible(text)
  if (visible.length <= units) return visible
  const head = headOf(visible, Math.ceil(units * 0.6))
  const tail = tailOfText(visible, Math.floor(units * 0.4))
  const missing = [...visible].length - [...head].length - [...tail].length
  return `${head}\n⋯ ${missing} characters not shown here${instead} ⋯\n${tail}`
}

/** Cuts a text in a line at the end, with a note of the omission. */
export function putLine(text: string, units: number): string {
  const visible = visibleLine(text)
  if (visible.length <= units) return visible
  const head = headOf(visible, units)
  const missing = [...visible].length - [...head].length
  return `${head} ⋯ ${missing} characters not shown here ⋯`
}
