import { runEnd } from './run-end.ts'
import type { RuleMatch, SecretRule } from './secret-rule.ts'
import { tokenStart } from './token.ts'

const start = new RegExp(`${tokenStart}eyJ`, 'y')
const outside = /[^A-Za-z0-9_-]/g
/** A JWE has five parts, of which the second may be empty; a JWT three, of which the last may be. */
const mostParts = 5
const leastHeader = 9
const leastPayload = 6
const leastTag = 8

/** JWTs and JWEs of any length. A header that no token follows is read once, however many there seem to begin in it. */
export const jsonWebToken: SecretRule = {
  keywords: ['eyJ'],
  find(text, at, from) {
    if (at < from) return undefined
    start.lastIndex = at
    if (!start.test(text)) return undefined
    const ends = partEnds(text, at)
    const end = tokenEndOf(at, ends)
    return end === undefined ? { spans: [], end: ends[0] ?? at } : tokenAt(text, at, end)
  },
}

function tokenAt(text: string, start: number, end: number): RuleMatch {
  const isMadeUp = /x{6}/i.test(text.slice(start, end))
  return { spans: isMadeUp ? [] : [{ start, end, kind: 'jwt' }], end }
}

/** Ends of the parts that dots join, the first one's first. */
function partEnds(text: string, at: number): readonly number[] {
  const ends = [runEnd(text, at, outside)]
  for (let end = ends[0] ?? at; text[end] === '.' && ends.length < mostParts; ) {
    end = runEnd(text, end + 1, outside)
    ends.push(end)
  }
  return ends
}

/** Where the token ends whose parts end there; nothing when there is none. */
function tokenEndOf(at: number, ends: readonly number[]): number | undefined {
  const lengths = ends.map((end, part) => end - (part === 0 ? at : (ends[part - 1] ?? at) + 1))
  const [header = 0, payload = 0, third = 0, fourth = 0, tag = 0] = lengths
  if (header < leastHeader || lengths.length < 3) return undefined
  if (payload >= leastPayload) {
    const empty = lengths.indexOf(0, 3)
    return empty === -1 ? ends.at(-1) : ends[empty - 1]
  }
  const isEncrypted = payload === 0 && third >= leastTag && fourth > 0 && tag >= leastTag
  return isEncrypted ? ends[4] : undefined
}
