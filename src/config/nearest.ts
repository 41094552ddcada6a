/** The candidate most like `text`, where one is near enough to be what was meant. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(text.length / 3)) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= bestDistance) continue
    const distance = editDistance(text.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** Letters to add, drop or change to get from one text to the other. Texts over 100 characters are not compared. */
function editDistance(from: string, to: string): number {
  if (from.length > 100 || to.length > 100) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
