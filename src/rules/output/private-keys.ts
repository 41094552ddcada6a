import { startOfBody } from './key-bodies.ts'
import type { SecretSpan } from './secret-shapes.ts'

const begin = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g
const end = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g
/** Longest private key looked for, in UTF-16 units. */
const longestKey = 16_384
// A key without its END marker still shows its body: base64, white space, escaped line ends, line numbers.
const body = /(?:[A-Za-z0-9+/=\s:,]|\\{1,4}[nrt]|(?<=\n)-)*/y
/** A minimum of key material; text that merely mentions keys has no such run between or next to the markers. */
const content = /[A-Za-z0-9+/=]{16}/

/** Finds PEM private keys: complete, cut off at the end, or without their first lines. */
export function findPrivateKeys(text: string): SecretSpan[] {
  const marked = text.includes('PRIVATE KEY') ? [...findBegun(text), ...findEnded(text)] : []
  return marked
}

/** Start of a private key whose END marker has not arrived yet; undefined if none is open at the end of the text. */
export function openPrivateKey(text: string): number | undefined {
  const from = Math.max(0, text.length - longestKey)
  const last = [...text.slice(from).matchAll(begin)].at(-1)
  if (last === undefined) return undefined
  const start = from + last.index
  return text.slice(start).search(end) === -1 ? start : undefined
}

/** Finds keys by their BEGIN marker. Each marker is searched for once, so time is linear. */
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

/** Finds keys by their END marker, for those without a BEGIN marker. */
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
