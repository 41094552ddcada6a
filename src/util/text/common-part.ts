/** Length of the longest prefix of `next` that `text` ends with, in linear time (Knuth, Morris, Pratt). */
export function commonPart(text: string, next: string): number {
  const joined = `${next}\0${text.slice(Math.max(0, text.length - next.length))}`
  const borders = new Uint32Array(joined.length)
  for (let at = 1; at < joined.length; at += 1) {
    let border = borders[at - 1] ?? 0
    while (border > 0 && joined[at] !== joined[border]) border = borders[border - 1] ?? 0
    borders[at] = joined[at] === joined[border] ? border + 1 : 0
  }
  return borders.at(-1) ?? 0
}
