import type { SecretSpan } from './secret-shapes.ts'
import { lineEnd } from './secrets/line-forms.ts'

/** What tools write before a line: its number, the sign of a diff, a margin. */
export const margin = String.raw`(?:[ ]{0,7}[0-9]{1,7}[\t:-]|[-+>#])?[ \t|]{0,40}`
const base64 = '[A-Za-z0-9+/]'
const lineOf = (content: string) => `(?:^|${lineEnd})${margin}${content}(?![A-Za-z0-9+/=])`
const linesOf = (width: number) => {
  const content = `${base64}{${width}}`
  return `${lineOf(`(?<first${width}>${content})`)}(?:${lineOf(content)}){3,}`
}
/** OpenSSL and GnuPG write lines of 64 characters, OpenSSH of 70; those of 76 are mail and images. */
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
/** How far above the first line its marker is looked for: lines of PGP's headers stand between. */
const headers = 1_000

/** Four lines or more as keys in PEM have them, though neither its first nor its last line is there. */
export function findKeyBodies(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  for (const match of text.matchAll(manyLines)) {
    const [lines] = match
    const end = endOfLines(text, match.index + lines.length)
    if (!isRandom(lines) || isPublic(text, match.index, end)) continue
    const { first64, first70 } = match.indices?.groups ?? {}
    // Not where the first long run begins: the `n` of an escaped line break looks like a part of it.
    const [first] = first64 ?? first70 ?? [match.index]
    spans.push({ start: startOfBody(text, first, true), end, kind: 'private-key' })
  }
  return spans
}

/** Hashes in hexadecimal stand in lines of 64 characters too, and have but one case. */
function isRandom(lines: string): boolean {
  const long = lines.match(/[A-Za-z0-9+/]{64,}/g) ?? []
  return long.every((line) => /[a-z]/.test(line) && /[A-Z]/.test(line) && /[0-9]/.test(line))
}

/** Below or above a marker that speaks of a certificate, a public key, a signature or a message. */
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
/** Longer than any such line with what stands before it. */
const longestLine = 160
/** Shorter ones stand at the end of a key alone; elsewhere they are words. */
const fullLine = 16
const longestBody = 16_384

/** Where the lines of a key begin that stand above `at`, itself the beginning of a line but for its margin. */
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
