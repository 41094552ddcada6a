/** Called for each occurrence of a keyword with the keyword's id and the offset. */
export type OnKeyword = (id: number, at: number) => void

export interface KeywordIndex {
  /** Scans a part of the text in one pass, regardless of the number of keywords. */
  scan(text: string, part: TextPart, onKeyword: OnKeyword): void
}

/** UTF-16 offsets, end exclusive. */
export interface TextPart {
  readonly start: number
  readonly end: number
}

interface Entry {
  readonly id: number
  readonly keyword: string
  readonly ignoresCase: boolean
}

/** Maps the first three characters of keywords to a bucket (0 for none), and each bucket to its keywords. */
interface Table {
  readonly bucketOf: Uint16Array
  readonly buckets: readonly (readonly Entry[])[]
}

const gramLength = 3
const bitsPerCharacter = 6
const gramMask = 2 ** (gramLength * bitsPerCharacter) - 1

/**
 * Creates an index that finds many keywords at once with one table lookup per character. Keywords have at least three
 * characters; one with a capital (A–Z) is case-sensitive, one without is not.
 */
export function createKeywordIndex(
  keywords: Iterable<readonly [id: number, keyword: string]>,
): KeywordIndex {
  const buckets: Entry[][] = [[]]
  const bucketOf = new Uint16Array(gramMask + 1)
  for (const [id, keyword] of keywords) {
    const gram = gramOf(keyword)
    bucketOf[gram] ||= buckets.push([]) - 1
    buckets[bucketOf[gram] ?? 0]?.push({ id, keyword, ignoresCase: !/[A-Z]/.test(keyword) })
  }
  return { scan: (text, part, onKeyword) => scan(text, part, { bucketOf, buckets }, onKeyword) }
}

/** Bytes are read much faster than characters, and a small window stays in the processor's cache. */
const windowBytes = 16_384

function scan(text: string, part: TextPart, table: Table, onKeyword: OnKeyword): void {
  const { bucketOf, buckets } = table
  const window = Buffer.allocUnsafe(Math.min(part.end - part.start, windowBytes))
  let gram = 0
  for (let from = part.start; from < part.end; from += windowBytes) {
    // Only the lower byte of each character; `matchesAt` excludes false candidates.
    const size = window.write(text.slice(from, Math.min(from + windowBytes, part.end)), 'latin1')
    for (let index = 0; index < size; index += 1) {
      gram = ((gram << bitsPerCharacter) | (digits[window[index] ?? 0] ?? 0)) & gramMask
      const bucket = bucketOf[gram] ?? 0
      if (bucket === 0) continue
      reportMatches(text, from + index - gramLength + 1, buckets[bucket] ?? [], onKeyword)
    }
  }
}

function reportMatches(
  text: string,
  start: number,
  entries: readonly Entry[],
  onKeyword: OnKeyword,
): void {
  for (const entry of entries) {
    if (matchesAt(text, start, entry)) onKeyword(entry.id, start)
  }
}

/** The characters that distinguish keywords best have a digit each; all others share 0. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789_-./:= "\'@$&?,;<>()[]{}~*+|'

/** Maps a byte to six bits, the same for both cases of a letter. */
const digits = Uint8Array.from({ length: 256 }, (_, code) =>
  Math.max(0, alphabet.indexOf(String.fromCharCode(lowerCode(code))) + 1),
)

function gramOf(keyword: string): number {
  if (keyword.length < gramLength) throw new Error(`the keyword "${keyword}" is too short`)
  let gram = 0
  for (let at = 0; at < gramLength; at += 1) {
    gram = (gram << bitsPerCharacter) | (digits[keyword.charCodeAt(at) & 255] ?? 0)
  }
  return gram
}

function matchesAt(text: string, start: number, { keyword, ignoresCase }: Entry): boolean {
  for (let at = 0; at < keyword.length; at += 1) {
    const code = text.charCodeAt(start + at)
    if ((ignoresCase ? lowerCode(code) : code) !== keyword.charCodeAt(at)) return false
  }
  return true
}

function lowerCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}
