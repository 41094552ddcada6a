import { distance } from 'fastest-levenshtein'

/** The candidate most like `text`, where one is near enough to be what was meant. Texts over 100 characters are like none. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  if (text.length > 100) return undefined
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(text.length / 3)) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= bestDistance) continue
    const edits = distance(text.toLowerCase(), candidate.toLowerCase())
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits]
  }
  return best
}
