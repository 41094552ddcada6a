import type { SecretSpan } from './secret-shapes.ts'
import { lineEnd } from './secrets/line-forms.ts'

/** Prefixes that tools print before a line: a line number, a diff sign, a margin. */
export const margin = String.raw`(?:[ ]{0,7}[0-9]{1,7}[\t:-]|[-+>#])?[ \t|]{0,40}`
const base64 = '[A-Za-z0-9+/]'
const lineOf = (content: string) => `(?:^|${lineEnd})${margin}${content}(?![A-Za-z0-9+/=])`
const linesOf = (width: number) => {
  const content = `${base64}{${width}}`
  return `${lineOf(`(?<first${width}>${content})`)}(?:${lineOf(content)}){3,}`
}
/**
 * OpenSSL and GnuPG write lines of 64 characters, OpenSSH of 70. Lines of 76 characters are mail and images, so they are not
 * matched.
 */
const manyLines = new RegExp(`${linesOf(64)}|${linesOf(70)}`, 'dg')
const lastLine = new RegExp(
  String.raw`${lineEnd}${margin}(?:${base64}{16,70}|${base64}{1,70}=)=?(?![A-Za-z0-9+/=-])(?=[\s"'\\]|$)`,
  'y',
)
const publicEnd = new RegExp(
  `${lineEnd}${margin}(?:=${base64}{4}${lineEnd}${margin})?-----END (?![A-Z0-9 ]{0,40}PRIVATE KEY)`,
  'y',
)
const publicBegin = /-----BEGIN (?![A-Z0-9 ]{0,40}PRIVATE KEY)[A-Z0-9 ]{1,60}-----(?!.*-----END )/s
/** Distance above the first line in which a BEGIN marker is looked for, in UTF-16 units; PGP headers may lie between. */
const headers = 1_000

/** Finds bodies of PEM keys without their BEGIN and END markers: four or more base64 lines of the right width. */
export function findKeyBodies(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  for (const match of text.matchAll(manyLines)) {
    const [lines] = match
    const end = endOfLines(text, match.index + lines.length)
    if (!isRandom(lines) || isPublic(text, match.index, end)) continue
    const { first64, first70 } = match.indices?.groups ?? {}
    // `match.index` would be wrong: the `n` of an escaped line break looks like the first base64 character.
    const [first] = first64 ?? first70 ?? [match.index]
    spans.push({ start: startOfBody(text, first, true), end, kind: 'private-key' })
  }
  return spans
}

/** Hexadecimal hashes may have 64 characters a line as well, but use one case only. */
function isRandom(lines: string): boolean {
  const long = lines.match(/[A-Za-z0-9+/]{64,}/g) ?? []
  return long.every((line) => /[a-z]/.test(line) && /[A-Z]/.test(line) && /[0-9]/.test(line))
}

/** Whether a marker of a certificate, public key, signature or message stands above or below. */
function isPublic(text: string, start: number, end: number): boolean {
  publicEnd.lastIndex = end
  return publicEnd.test(text) || publicBegin.test(text.slice(Math.max(0, start - headers), start))
}

function endOfLines(text: string, from: number): number {
  lastLine.lastIndex = from
  return from + (lastLine.exec(text)?.[0].length ?? 0)
}

const lineBefore = new RegExp(
  String.raw`(?:^|${lineEnd}|["'])${margin}(?<content>${base64}{1,76}={0,2}|=${base64}{4}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\r\n\\]{1,60}|)$`,
)
/** Longer than any line of a key with its prefix, in UTF-16 units. */
const longestLine = 160
/** Minimum length of a full base64 line. Shorter lines occur at the end of a key; elsewhere they are words. */
const fullLine = 16
const longestBody = 16_384

/** Start of the key lines that directly precede `at`, which is the start of a line, after its margin. */
export function startOfBody(text: string, at: number, isBody = false): number {
  let start = at
  let hasFullLine = isBody
  for (let from = at; at - from < longestBody; ) {
    const match = lineBefore.exec(text.slice(Math.max(0, from - longestLine), from))
    if (match === null || match[0] === '') break
    const { content = '' } = match.groups ?? {}
    if (hasFullLine && content !== '' && content.length < fullLine) break
    if (content !== '') start = from - content.length
    hasFullLine ||= content.length >= fullLine
    from -= match[0].length
  }
  return start
}
