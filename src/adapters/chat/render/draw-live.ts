import type { Canvas } from './canvas.ts'
import { elapsedWords } from './card-words.ts'
import { toPrintableLine } from './printable.ts'
import { openFence } from './prose-lines.ts'
import { cutText } from './runs/cut-text.ts'
import { markdownRuns } from './runs/markdown-runs.ts'
import { bold, code, lineBreak, type Run, run } from './runs/run.ts'
import { add, fits, nothing, type Size, type SizeOf } from './runs/size.ts'
import { type Token, toTokens } from './runs/token.ts'

/** A tool that runs for a turn, or ran. */
export interface RunningStep {
  readonly id: string
  readonly tool: string
  readonly elapsedMs: number
  /** Of the tool's output. */
  readonly lastLine: string
  readonly isOver: boolean
}

/** What is known of a turn that runs. */
export interface RunningTurn {
  /** Whoever takes the turn over, and each step of it, has a higher one, and writes another text. */
  readonly epoch?: number
  /** What it has done so far, as far as is known, the latest last. */
  readonly steps?: readonly RunningStep[]
  /** The markdown that has come so far. */
  readonly text?: string
  /** What is being done: a tool's name, `thinking`. */
  readonly doing?: string
  readonly elapsedMs?: number
  /** Of the tool's output. */
  readonly lastLine?: string
}

/** More than is shown, so that a long answer is not parsed again and again. */
const parsed = 8_000

/** CHAT-04: the passing message of a turn: the end of what was written, then what is being done for how long. */
export function drawLive<Drawn>(canvas: Canvas<Drawn>, turn: RunningTurn): Drawn {
  const text = turn.text ?? ''
  const { runs, isWhole } = tailOf(canvas.defuse(markdownRuns(endOf(text)), 'answer'), canvas)
  const message = [
    ...(isWhole && text.length <= parsed ? [] : [run('⋯'), lineBreak()]),
    ...runs,
    ...(runs.length === 0 ? [] : [{ ...lineBreak(), text: '\n\n' }]),
    ...statusRuns(turn),
  ]
  // Once more: what was the middle of a word may be the beginning now.
  return canvas.draw(canvas.defuse(message, 'answer'))
}

function statusRuns({ doing, elapsedMs, lastLine }: RunningTurn): Run[] {
  const what = cutText(toPrintableLine(doing ?? ''), 60)
  const output = cutText(toPrintableLine(lastLine ?? ''), 120)
  const elapsed = elapsedMs === undefined ? '' : ` · ${elapsedWords(elapsedMs)}`
  const status = [run('⏳ '), run(what === '' ? 'working' : what, bold), run(elapsed)]
  return output === '' ? status : [...status, run(' · '), run(output, code)]
}

/** The last part of long markdown, from the beginning of a line; a fence that was open there is opened again. */
function endOf(markdown: string): string {
  if (markdown.length <= parsed) return markdown
  const from = markdown.length - parsed
  const lineEnd = markdown.slice(from, from + parsed / 4).indexOf('\n')
  const start = from + lineEnd + 1
  const fence = openFence(markdown.slice(0, start))
  return (fence === undefined ? '' : `${fence}\n`) + markdown.slice(start)
}

/** How much of it is to be shown at most. */
interface TailRoom {
  readonly liveLimit: Size
  readonly sizeOf: SizeOf
}

/** The end of a text, from the beginning of a line or word where one is near. */
function tailOf(
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

/** The last non-empty line of a program's output. */
export function lastLineOf(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}
