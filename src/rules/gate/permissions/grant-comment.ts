import type { JSONScanner } from 'jsonc-parser'

const stringLiteral = 10
const lineComment = 12
const lineBreak = 14
const trivia = 15
const endOfFile = 17

export const opening = '// granted'

/** The comment that stands above a rule that *Always* wrote and makes it recognisable (GATE-02). */
export function grantComment(note: string): string {
  const line = note.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return (line.startsWith('granted ') ? `// ${line}` : `${opening} ${line}`).trimEnd()
}

/** Where such a comment stands in a text. */
export interface CommentPlace {
  readonly offset: number
  readonly length: number
}

/** The offsets of the keys that stand right below such a comment, which has a line of its own, each with its comment. */
export function grantOffsets(
  scanner: JSONScanner,
  text: string,
): ReadonlyMap<number, CommentPlace> {
  const offsets = new Map<number, CommentPlace>()
  let granted: CommentPlace | undefined
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    const offset = scanner.getTokenOffset()
    if (token === lineComment) {
      const length = scanner.getTokenLength()
      const comment = text.slice(offset, offset + length)
      const isOne = isGrant(comment.trimEnd()) && hasOwnLine(text, offset)
      granted = isOne ? { offset, length } : undefined
    } else if (token !== lineBreak && token !== trivia) {
      if (granted !== undefined && token === stringLiteral) offsets.set(offset, granted)
      granted = undefined
    }
  }
  return offsets
}

function isGrant(comment: string): boolean {
  return comment === opening || comment.startsWith(`${opening} `)
}

function hasOwnLine(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, offset - 200), offset))
}
