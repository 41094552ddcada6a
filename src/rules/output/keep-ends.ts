/** Head and tail of a text, and the number of UTF-16 units removed between them. */
interface Ends {
  readonly head: string
  readonly tail: string
  readonly left: number
}

/** Keeps the first and last `keep / 2` UTF-16 units without splitting a surrogate pair. */
export function keepEnds(text: string, keep: number): Ends {
  const half = Math.max(0, Math.floor(keep / 2))
  if (text.length <= half * 2) return { head: text, tail: '', left: 0 }
  const head = text.slice(0, isHighSurrogate(text, half - 1) ? half - 1 : half)
  const from = text.length - half
  const tail = text.slice(isHighSurrogate(text, from - 1) ? from + 1 : from)
  return { head, tail, left: text.length - head.length - tail.length }
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 0xd800 && code <= 0xdbff
}

/**
 * Shortens a text of more than `threshold` UTF-16 units to its head and tail, `threshold` units in total, around one line with
 * `overflow:<reference>` and the sizes (OUT-09). `reference` is a UUID.
 */
export function cutOverflow(
  text: string,
  threshold: number,
  reference: string,
): { readonly text: string; readonly cut: boolean } {
  if (text.length <= threshold) return { text, cut: false }
  const { head, tail, left } = keepEnds(text, threshold)
  const line = `[… ${left} of ${text.length} characters left out; read them with overflow:${reference} …]`
  return { text: `${head}\n${line}\n${tail}`, cut: true }
}
