import { lineEnd, lineMark } from './line-forms.ts'
import { manifestValues } from './manifest-values.ts'
import type { SecretRule } from './secret-rule.ts'

/** Maximum extent of a manifest in each direction, in UTF-16 units. */
const longestManifest = 65_536
const quote = String.raw`\\{0,4}"?`
const kind = new RegExp(
  String.raw`kind${quote}[ \t]{0,4}:[ \t]{0,4}["'\\]{0,5}Secret["']?[ \t]{0,8}(?=[\r\n,}\\"]|$)`,
  'y',
)
/** Boundary between manifests, also within a list. */
const border = new RegExp(String.raw`${lineEnd}${lineMark}---|apiVersion${quote}[ \t]{0,4}:`, 'g')
/** An `apiVersion` directly after the kind belongs to the same manifest. */
const besideKind = new RegExp(
  String.raw`^[\\"',]{0,12}(?:\s|\\{1,4}[nr]){0,40}${lineMark}[ \t]{0,40}[\\"']{0,5}$`,
)

/** Finds everything below `data` and `stringData` of a Kubernetes Secret, as base64 is no protection. */
export const kubernetesSecret: SecretRule = {
  keywords: ['kind:', 'kind"', 'kind\\'],
  find(text, at, from) {
    kind.lastIndex = at
    const match = kind.exec(text)
    if (match === null) return undefined
    const region = manifestAround(text, at, at + match[0].length, from)
    const spans = manifestValues(text.slice(region.start, region.end)).map((span) => ({
      ...span,
      start: region.start + span.start,
      end: region.start + span.end,
    }))
    return { spans, end: region.end }
  },
}

function manifestAround(text: string, at: number, kindEnd: number, from: number) {
  const first = Math.max(from, at - longestManifest)
  const last = Math.min(text.length, at + longestManifest)
  let start = first
  let end = last
  for (const match of text.slice(first, last).matchAll(border)) {
    const offset = first + match.index
    if (offset < at) start = offset
    else if (offset - kindEnd > 80 || !besideKind.test(text.slice(kindEnd, offset))) {
      end = offset
      break
    }
  }
  return { start, end }
}
