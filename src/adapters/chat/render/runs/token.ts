import type { Marks, Run } from './run.ts'

/** A piece of a message that is never split; `kind` is the kind of break it allows. */
export interface Token {
  readonly kind: 'block' | 'line' | 'blank' | 'word'
  readonly text: string
  readonly marks: Marks
}

/** Maximum length of a word in UTF-16 units; longer ones are split between graphemes, and longer graphemes within. */
const longestWord = 256
/** A blank with a combining mark is part of a grapheme. */
const separator = /(\n| +(?![\p{M}\u200d]))/u
const segmenter = new Intl.Segmenter()

export function toTokens(runs: readonly Run[]): Token[] {
  return runs.flatMap((run): Token[] => {
    const { text, marks, breaks } = run
    if (breaks !== undefined) return [{ kind: breaks, text, marks }]
    return text
      .split(separator)
      .filter((part) => part !== '')
      .flatMap((part): Token[] => {
        if (part === '\n') return [{ kind: 'line', text: part, marks }]
        if (part.startsWith(' ') && part.trim() === '' && part.length <= longestWord) {
          return [{ kind: 'blank', text: part, marks }]
        }
        return chunks(part).map((word) => ({ kind: 'word', text: word, marks }))
      })
  })
}

function chunks(word: string): string[] {
  if (word.length <= longestWord) return [word]
  const parts: string[] = []
  let part = ''
  for (const { segment } of segmenter.segment(word)) {
    for (const piece of segment.length > longestWord ? segment : [segment]) {
      if (part.length + piece.length > longestWord) {
        parts.push(part)
        part = ''
      }
      part += piece
    }
  }
  return [...parts, part]
}
