import type { Run } from './run.ts'
import { add, fits, nothing, type Size, type SizeOf } from './size.ts'
import { type Token, toTokens } from './token.ts'

/** Minimum share of a message that must be filled before a break between larger units is preferred. */
const fullEnough = 0.4
/** Characters that belong to the one before. */
const extending = /^(?:\p{M}|\u200d|\p{Emoji_Modifier}|\p{Regional_Indicator})/u

/** Limit of a message. */
export interface MessageRoom {
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
