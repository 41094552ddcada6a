import { startOfBody } from './key-bodies.ts'
import type { SecretSpan } from './secret-shapes.ts'

const begin = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g
const end = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g
/** Longest private key looked for, in UTF-16 units. */
const longestKey = 16_384
// Without its last line a key still shows its body: base64, white space, escaped line ends, line numbers.
const body = /(?:[A-Za-z0-9+/=\s:,]|\\{1,4}[nrt]|(?<=\n)-)*/y
/** What only speaks of keys has no such line between its markers, or behind one. */
const content = /[A-Za-z0-9+/=]{16}/

/** PEM private keys: whole, cut short, or without their first lines. */
export function findPrivateKeys(text: string): SecretSpan[] {
  const marked = text.includes('PRIVATE KEY') ? [...findBegun(text), ...findEnded(text)] : []
  return marked
}

/** Where a key begins whose last line may still come; undefined: none is open at the end of the text. */
export function openPrivateKey(text: string): number | undefined {
  const from = Math.max(0, text.length - longestKey)
  const last = [...text.slice(from).matchAll(begin)].at(-1)
  if (last === undefined) return undefined
  const start = from + last.index
  return text.slice(start).search(end) === -1 ? start : undefined
}

/** Both markers are looked up once each: linear in time. */
function findBegun(text: string): SecretSpan[] {
  const ends = [...text.matchAll(end)].map((match) => match.index + match[0].length)
  const spans: SecretSpan[] = []
  let done = 0
  let next = 0
  for (const match of text.matchAll(begin)) {
    if (match.index < done) continue
    const from = match.index + match[0].length
    while (next < ends.length && (ends[next] ?? 0) < from) next += 1
    const closed = ends[next]
    done = closed !== undefined && closed - from <= longestKey ? closed : endOfBody(text, from)
    if (!content.test(text.slice(from, done))) continue
    spans.push({ start: match.index, end: done, kind: 'private-key' })
  }
  return spans
}

/** What stands above the last line of a key is one, though its first line is elsewhere. */
function findEnded(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  for (const match of text.matchAll(end)) {
    const start = startOfBody(text, match.index)
    if (!content.test(text.slice(start, match.index))) continue
    spans.push({ start, end: match.index + match[0].length, kind: 'private-key' })
  }
  return spans
}

function endOfBody(text: string, from: number): number {
  body.lastIndex = from
  return from + (body.exec(text)?.[0].trimEnd().length ?? 0)
}
