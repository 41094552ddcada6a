/** Okapi BM25 with the usual constants: saturation of repeated words, and normalisation by text length. */
const saturation = 1.2

const lengthWeight = 0.75

/** Texts ranked by words. */
interface WordIndex {
  /**
   * Scores each text, 0 to 1, in the order of the texts: BM25 divided by the highest possible score. Words that occur in no text
   * have no weight.
   */
  rank(query: string): readonly number[]
}

/** A text's word counts. */
export interface WordCounts {
  readonly counts: ReadonlyMap<string, number>
  /** Number of all words. */
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

/** Counts the words of a text. */
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

/** Similarity of two vectors, 0 to 1; 0 for opposite directions and zero vectors. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  const length = Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b))
  const likeness = length === 0 ? 0 : dot(a, b) / length
  return Number.isFinite(likeness) ? Math.min(1, Math.max(0, likeness)) : 0
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}

/** Splits text into words for comparison: `readFiles` and `read_file` give the same two. Linear time. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.normalize('NFKC').replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ')
  return (spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(withoutPlural)
}

/** A rough rule, applied to both sides: `files` becomes `file`, `class` stays. */
function withoutPlural(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
