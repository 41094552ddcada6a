import { displayWidth } from './display-width.ts'
import type { Paint } from './paint.ts'

/**
 * Text in one style; `'
 * '` breaks the line.
 */
export interface Piece {
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
