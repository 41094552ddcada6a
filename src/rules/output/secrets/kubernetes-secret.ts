import type { SecretSpan } from '../secret-shapes.ts'
import { lineEnd, lineMark } from './line-forms.ts'
import { isPlaceholder } from './placeholders.ts'
import type { SecretRule } from './secret-rule.ts'

/** How far a manifest is followed in each direction, in UTF-16 units. */
const longestManifest = 65_536
/** What stands before the first character of a line. */
const lineStart = String.raw`(?<=^|\n|\\n|["'])${lineMark}`
const quote = String.raw`\\{0,4}"?`
const line = String.raw`(?:(?!\\{1,4}[rn])[^\r\n])*`
const key = '[A-Za-z0-9_.-]{1,253}'

const kind = new RegExp(
  String.raw`kind${quote}[ \t]{0,4}:[ \t]{0,4}["'\\]{0,5}Secret["']?[ \t]{0,8}(?=[\r\n,}\\"]|$)`,
  'y',
)
/** Where one manifest ends and the next begins, also in a list of them. */
const border = new RegExp(String.raw`${lineEnd}${lineMark}---|apiVersion${quote}[ \t]{0,4}:`, 'g')
const blocks = new RegExp(
  [
    String.raw`${lineStart}([ \t]*)(?:- )?${quote}(?:stringData|data)${quote}:[ \t]*\{?[ \t]*${lineEnd}`,
    String.raw`((?:${lineMark}[ \t]*${quote}${key}${quote}:${line}${lineEnd}?){1,512})`,
  ].join(''),
  'g',
)
const entry = new RegExp(
  [
    String.raw`${lineStart}([ \t]*)${quote}${key}${quote}:[ \t]*`,
    String.raw`(?:\\{0,4}"([^"\\\r\n]*)|'([^'\\\r\n]*)'|([^\s"'{|>\\][^\r\n\\"']*))`,
  ].join(''),
  'g',
)

/** Everything below `data` and `stringData` of a Kubernetes Secret: base64 hides nothing. */
export const kubernetesSecret: SecretRule = {
  keywords: ['kind:', 'kind"', 'kind\\'],
  find(text, at, from) {
    kind.lastIndex = at
    const match = kind.exec(text)
    if (match === null) return undefined
    const region = manifestAround(text, at, from)
    const spans = manifestValues(text.slice(region.start, region.end)).map((span) => ({
      ...span,
      start: region.start + span.start,
      end: region.start + span.end,
    }))
    return { spans, end: region.end }
  },
}

function manifestAround(text: string, at: number, from: number) {
  const first = Math.max(from, at - longestManifest)
  const last = Math.min(text.length, at + longestManifest)
  let start = first
  let end = last
  for (const match of text.slice(first, last).matchAll(border)) {
    const offset = first + match.index
    if (offset < at) start = offset
    else {
      end = offset
      break
    }
  }
  return { start, end }
}

/** What stands below `data` and `stringData` of a manifest, whatever its kind. */
export function manifestValues(manifest: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  for (const match of manifest.matchAll(blocks)) {
    const [whole, indent = '', block = ''] = match
    const from = match.index + whole.length - block.length
    for (const found of block.matchAll(entry)) {
      const [text, ownIndent = '', ...values] = found
      if (ownIndent.length <= indent.length) break
      const value = values.find((one) => one !== undefined)?.trimEnd() ?? ''
      if (value.length < 4 || isPlaceholder(value)) continue
      const start = from + found.index + text.lastIndexOf(value)
      spans.push({ start, end: start + value.length, kind: 'kubernetes-secret' })
    }
  }
  return spans
}
