import type { Messages } from '../../../domain/messages/messages.ts'
import type { Canvas } from './canvas.ts'
import { elapsedWords } from './card-words.ts'
import { openFence } from './is-heavy.ts'
import { toPrintableLine } from './printable.ts'
import { cutText } from './runs/cut-text.ts'
import { markdownRuns } from './runs/markdown-runs.ts'
import { bold, code, lineBreak, type Run, run } from './runs/run.ts'
import { add, fits, nothing, type Size, type SizeOf } from './runs/size.ts'
import { type Token, toTokens } from './runs/split-runs.ts'

/** A tool call of a turn, running or ended. */
export interface RunningStep {
  readonly id: string
  readonly tool: string
  readonly elapsedMs: number
  /** Last line of the tool's output. */
  readonly lastLine: string
  readonly isOver: boolean
}

/** State of a running turn. */
export interface RunningTurn {
  /** Ascending with each agent and each step of the turn, which start a new text. */
  readonly epoch?: number
  /** Steps so far, as far as known, latest last. */
  readonly steps?: readonly RunningStep[]
  /** Markdown received so far. */
  readonly text?: string
  /** Current activity: a tool's name, `thinking` or `writing`. */
  readonly doing?: string
  readonly elapsedMs?: number
  /** Last line of the tool's output. */
  readonly lastLine?: string
}

/** Length of text that is parsed, in UTF-16 units: more than is shown, and bounded for long answers. */
const maxParsed = 8_000

/** Draws the transient message of a turn: the end of its text, then the current activity and its duration (CHAT-04). */
export function drawLive<Drawn>(canvas: Canvas<Drawn>, turn: RunningTurn): Drawn {
  const text = turn.text ?? ''
  const { runs, isWhole } = tailOf(
    canvas.makeInert(markdownRuns(endOfMarkdown(text)), 'answer'),
    canvas,
  )
  const message = [
    ...(isWhole && text.length <= maxParsed ? [] : [run('⋯'), lineBreak()]),
    ...runs,
    ...(runs.length === 0 ? [] : [{ ...lineBreak(), text: '\n\n' }]),
    ...statusRuns(canvas.messages, turn),
  ]
  // Again, as the middle of a word may now be the start of the message.
  return canvas.draw(canvas.makeInert(message, 'answer'))
}

function statusRuns({ display }: Messages, { doing, elapsedMs, lastLine }: RunningTurn): Run[] {
  const what = cutText(toPrintableLine(doing ?? ''), 60)
  const output = cutText(toPrintableLine(lastLine ?? ''), 120)
  const elapsed = elapsedMs === undefined ? '' : ` · ${elapsedWords(elapsedMs)}`
  const status = [run('⏳ '), run(what === '' ? display.working : what, bold), run(elapsed)]
  return output === '' ? status : [...status, run(' · '), run(output, code)]
}

/** The end of long markdown, from the start of a line; a fence that is open there is reopened. */
function endOfMarkdown(markdown: string): string {
  if (markdown.length <= maxParsed) return markdown
  const from = markdown.length - maxParsed
  const lineEnd = markdown.slice(from, from + maxParsed / 4).indexOf('\n')
  const start = from + lineEnd + 1
  const fence = openFence(markdown.slice(0, start))
  return (fence === undefined ? '' : `${fence}\n`) + markdown.slice(start)
}

/** Limit of the shown text. */
interface TailRoom {
  readonly liveLimit: Size
  readonly sizeOf: SizeOf
}

/** The end of a text, from the start of a line or word if one is near. */
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
  const kept = start === 0 ? tokens : fromLineStart(tokens.slice(start))
  return { runs: trimmed(kept).map(({ text, marks }) => run(text, marks)), isWhole: start === 0 }
}

function fromLineStart(tokens: readonly Token[]): readonly Token[] {
  const third = tokens.slice(0, Math.floor(tokens.length / 3))
  const at = third.findIndex(({ kind }) => kind === 'line' || kind === 'block')
  return tokens.slice((at === -1 ? third.findIndex(({ kind }) => kind === 'blank') : at) + 1)
}

/** Removes line breaks and blanks at both ends. */
function trimmed(tokens: readonly Token[]): readonly Token[] {
  const isInk = ({ text }: Token): boolean => text.trim() !== ''
  return tokens.slice(Math.max(0, tokens.findIndex(isInk)), tokens.findLastIndex(isInk) + 1)
}

/** The last non-empty line of a program's output. */
export function lastLineOf(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}
