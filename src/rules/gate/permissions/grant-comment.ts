import type { JSONScanner } from 'jsonc-parser'
import { overWords, splitOver } from './grant-beats.ts'

const stringLiteral = 10
const lineComment = 12
const lineBreak = 14
const trivia = 15
const endOfFile = 17

const opening = '// granted'

/**
 * The comment that stands above a rule that *Always* wrote and makes it recognisable (GATE-02). It ends with the questions that the
 * rule wins over, where they are known, so that it reads the same after a restart (APPR-07).
 */
export function grantComment(note: string, beats: readonly string[] | undefined): string {
  const line = note.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const said = (line.startsWith('granted ') ? `// ${line}` : `${opening} ${line}`).trimEnd()
  return beats === undefined ? said : `${said}${overWords(beats)}`
}

/** Where such a comment stands in a text, and what it says. */
export interface GrantComment {
  readonly offset: number
  readonly length: number
  /** By whom and when. */
  readonly note: string
  readonly beats: readonly string[] | undefined
}

/** The offsets of the keys that stand right below such a comment, which has a line of its own, each with its comment. */
export function grantOffsets(
  scanner: JSONScanner,
  text: string,
): ReadonlyMap<number, GrantComment> {
  const offsets = new Map<number, GrantComment>()
  let granted: GrantComment | undefined
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    const offset = scanner.getTokenOffset()
    if (token === lineComment) {
      const length = scanner.getTokenLength()
      const comment = text.slice(offset, offset + length)
      const isOne = isGrant(comment.trimEnd()) && hasOwnLine(text, offset)
      granted = isOne ? { offset, length, ...readComment(comment) } : undefined
    } else if (token !== lineBreak && token !== trivia) {
      if (granted !== undefined && token === stringLiteral) offsets.set(offset, granted)
      granted = undefined
    }
  }
  return offsets
}

function readComment(comment: string): Pick<GrantComment, 'note' | 'beats'> {
  const { text, beats } = splitOver(comment.slice(opening.length).trim())
  return { note: text, beats }
}

function isGrant(comment: string): boolean {
  return comment === opening || comment.startsWith(`${opening} `)
}

function hasOwnLine(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, offset - 200), offset))
}
