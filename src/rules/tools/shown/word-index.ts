import { wordsOf } from './words.ts'

/** Okapi BM25 with its usual constants: how soon a repeated word stops counting, and how much a long text is held against it. */
const saturation = 1.2
const lengthWeight = 0.75

/** Texts to be ranked by their words. */
export interface WordIndex {
  /**
   * How much of a query's weight each text has, 0 to 1, in the order of the texts: BM25 by the most that it could come to. Words
   * that no text has weigh nothing.
   */
  rank(query: string): readonly number[]
}

/** A text, by how often it has which words. */
export interface WordCounts {
  readonly counts: ReadonlyMap<string, number>
  /** All its words. */
  readonly length: number
}

export function createWordIndex(entries: readonly WordCounts[]): WordIndex {
  const average = entries.reduce((sum, { length }) => sum + length, 0) / entries.length || 1
  const holders = new Map<string, number>()
  for (const { counts } of entries) {
    for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1)
  }
  const weightOf = (word: string): number => {
    const held = holders.get(word) ?? 0
    return held === 0 ? 0 : Math.log(1 + (entries.length - held + 0.5) / (held + 0.5))
  }
  return {
    rank(query) {
      const weights = [...new Set(wordsOf(query))].map((word) => [word, weightOf(word)] as const)
      const most = weights.reduce((sum, [, weight]) => sum + weight, 0) * (saturation + 1)
      if (most === 0) return entries.map(() => 0)
      return entries.map((entry) => scoreOf(entry, weights, average) / most)
    },
  }
}

/** A text as it is ranked. */
export function countWords(text: string): WordCounts {
  const words = wordsOf(text)
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { counts, length: words.length }
}

function scoreOf(
  { counts, length }: WordCounts,
  weights: readonly (readonly [word: string, weight: number])[],
  average: number,
): number {
  const damping = saturation * (1 - lengthWeight + (lengthWeight * length) / average)
  return weights.reduce((sum, [word, weight]) => {
    const count = counts.get(word) ?? 0
    return sum + (weight * count * (saturation + 1)) / (count + damping)
  }, 0)
}
