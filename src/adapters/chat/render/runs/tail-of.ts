import { type Run, run } from './run.ts'
import { add, fits, nothing, type Size, type SizeOf } from './size.ts'
import { type Token, toTokens } from './token.ts'

/** How much of it is to be shown at most. */
interface TailRoom {
  readonly liveLimit: Size
  readonly sizeOf: SizeOf
}

/** The end of a text, from the beginning of a line or word where one is near. */
export function tailOf(
  runs: readonly Run[],
  { liveLimit, sizeOf }: TailRoom,
): { readonly runs: Run[]; readonly isWhole: boolean } {
  const tokens = toTokens(runs)
  let size = nothing
  let start = tokens.length
  for (; start > 0; start -= 1) {
    const token = tokens[start - 1]
    if (token === undefined) break
    size = add(size, sizeOf(token.text, token.marks, tokens[start]?.marks))
    if (!fits(size, liveLimit)) break
  }
  const kept = start === 0 ? tokens : fromLine(tokens.slice(start))
  return { runs: trimmed(kept).map(({ text, marks }) => run(text, marks)), isWhole: start === 0 }
}

function fromLine(tokens: readonly Token[]): readonly Token[] {
  const third = tokens.slice(0, Math.floor(tokens.length / 3))
  const at = third.findIndex(({ kind }) => kind === 'line' || kind === 'block')
  return tokens.slice((at === -1 ? third.findIndex(({ kind }) => kind === 'blank') : at) + 1)
}

/** Without the line breaks and blanks at either end. */
function trimmed(tokens: readonly Token[]): readonly Token[] {
  const isInk = ({ text }: Token): boolean => text.trim() !== ''
  return tokens.slice(Math.max(0, tokens.findIndex(isInk)), tokens.findLastIndex(isInk) + 1)
}
