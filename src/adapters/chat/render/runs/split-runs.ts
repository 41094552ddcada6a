import type { Marks, Run } from './run.ts'
import { add, fits, nothing, type Size, type SizeOf } from './size.ts'

/** Maximum length of a word in UTF-16 units; longer ones are split between graphemes, and longer graphemes within. */
const longestWord = 256

/** A blank with a combining mark is part of a grapheme. */
const separator = /(\n| +(?![\p{M}\u200d]))/u

const segmenter = new Intl.Segmenter()

/** Minimum share of a message that must be filled before a break between larger units is preferred. */
const fullEnough = 0.4

/** Characters that belong to the one before. */
const extending = /^(?:\p{M}|\u200d|\p{Emoji_Modifier}|\p{Regional_Indicator})/u

/** Limit of a message. */
interface MessageRoom {
  readonly limit: Size
  readonly sizeOf: SizeOf
}

/** Splits runs into messages, preferably between blocks, then lines, words and characters. */
export function splitRuns(runs: readonly Run[], room: MessageRoom): Token[][] {
  const tokens = toTokens(runs)
  const messages: Token[][] = []
  let start = 0
  while (start < tokens.length) {
    start = skipGap(tokens, start)
    const end = endOfMessage(tokens, start, room)
    messages.push(tokens.slice(start, end))
    start = end
  }
  return messages.filter((message) => hasInk(message.map(({ text }) => text).join('')))
}

/** Whether a message has visible characters; platforms refuse others. */
function hasInk(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** Skips the line break or blanks at which the last message ended; blanks of code are kept. */
function skipGap(tokens: readonly Token[], start: number): number {
  const broken = tokens[start]
  if (start > 0 && broken?.kind === 'line' && broken.marks.pre !== undefined) return start + 1
  const isGap = ({ kind, marks }: Token): boolean => kind !== 'word' && marks.pre === undefined
  let first = start
  for (let token = broken; token !== undefined && isGap(token); token = tokens[first]) first += 1
  return first
}

type Breaks = Partial<Record<Token['kind'], { readonly index: number; readonly units: number }>>

function endOfMessage(
  tokens: readonly Token[],
  start: number,
  { limit, sizeOf }: MessageRoom,
): number {
  const breaks: Breaks = {}
  let size = nothing
  for (let index = start; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token === undefined) break
    const next = add(
      size,
      sizeOf(token.text, token.marks, index === start ? undefined : tokens[index - 1]?.marks),
    )
    const here = { index, units: size.units }
    const mayBreak = index > start && !(token.kind === 'word' && extending.test(token.text))
    if (mayBreak) breaks[token.kind] = here
    if (!fits(next, limit))
      return bestBreak(breaks, size.units)?.index ?? Math.max(index, start + 1)
    size = next
  }
  return tokens.length
}

function bestBreak(breaks: Breaks, units: number): Breaks['word'] {
  const { block, line, blank, word } = breaks
  const wanted = [block, line, blank].find(
    (at) => at !== undefined && at.units >= fullEnough * units,
  )
  return wanted ?? blank ?? line ?? block ?? word
}

/** A piece of a message that is never split; `kind` is the kind of break it allows. */
export interface Token {
  readonly kind: 'block' | 'line' | 'blank' | 'word'
  readonly text: string
  readonly marks: Marks
}

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
