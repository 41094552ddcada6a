import { keepEnds } from './keep-ends.ts'

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
