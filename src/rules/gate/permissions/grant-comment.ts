import type { JSONScanner } from 'jsonc-parser'
import { formatBeats, splitBeats } from './grant-beats.ts'

const stringLiteral = 10
const lineComment = 12
const lineBreak = 14
const trivia = 15
const endOfFile = 17

const opening = '// granted'

/**
 * The comment above a rule from *Always*, which marks it (GATE-02). It ends with the questions that the rule overrides, if known,
 * so that they survive a restart (APPR-07).
 */
export function grantComment(note: string, beats: readonly string[] | undefined): string {
  const line = note.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const said = (line.startsWith('granted ') ? `// ${line}` : `${opening} ${line}`).trimEnd()
  return beats === undefined ? said : `${said}${formatBeats(beats)}`
}

/** The location and content of such a comment. */
export interface GrantComment {
  readonly offset: number
  readonly length: number
  /** The person and the time of the grant. */
  readonly note: string
  readonly beats: readonly string[] | undefined
}

/** The offsets of keys directly below such a comment (on a line of its own), with the comment. */
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
  const { text, beats } = splitBeats(comment.slice(opening.length).trim())
  return { note: text, beats }
}

function isGrant(comment: string): boolean {
  return comment === opening || comment.startsWith(`${opening} `)
}

function hasOwnLine(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, offset - 200), offset))
}
