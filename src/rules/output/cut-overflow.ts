import { keepEnds } from './keep-ends.ts'

/**
 * OUT-09: a text longer than `threshold` UTF-16 units becomes its head and tail around one line that names
 * `overflow:<reference>` and the size; the parts kept are `threshold` units together. `reference` is a UUID.
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
