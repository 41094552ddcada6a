import type { Canvas, Origin } from './canvas.ts'
import { toPrintable } from './printable.ts'
import { codeBlock } from './runs/code-block.ts'
import { markdownRuns } from './runs/markdown-runs.ts'
import { italic, lineBreak, plainRuns, type Run, run } from './runs/run.ts'
import { splitRuns } from './runs/split-runs.ts'

/** CHAT-05: a model's markdown as messages, at least one, each within the platform's limits. */
export function drawMarkdown<Drawn>(canvas: Canvas<Drawn>, markdown: string): Drawn[] {
  return drawMessages(canvas, markdownRuns(markdown), 'answer')
}

/** The same for plain words of our own, in which our `/commands` can be tapped; below them others' words, as code. */
export function drawNotice<Drawn>(
  canvas: Canvas<Drawn>,
  text: string,
  quoted = '',
  { folds = true } = {},
): Drawn[] {
  const { words, box } = noticeRuns(text, quoted)
  if (box === '') return drawMessages(canvas, words, 'notice')
  const gap = words.length === 0 ? [] : [lineBreak()]
  return drawMessages(canvas, [...words, ...gap, codeBlock(box, '', { folds })], 'notice')
}

/** Words of our own, and what is shown below them of others'; empty: nothing. */
export function noticeRuns(
  text: string,
  quoted: string,
): { readonly words: readonly Run[]; readonly box: string } {
  const lines = toPrintable(text).split('\n').map(withoutColumns).join('\n')
  const box = toPrintable(quoted)
  return { words: plainRuns(lines), box: box.trim() === '' ? '' : box }
}

/** What is aligned for a terminal is not in a proportional font. */
function withoutColumns(line: string): string {
  return line.replace(/^(\/\S(?: ?\S)*) {2,}(?=\S)/, '$1 – ')
}

/** Defused once more after the split: what was the middle of a word may begin a message. */
function drawMessages<Drawn>(canvas: Canvas<Drawn>, runs: readonly Run[], origin: Origin): Drawn[] {
  const messages = splitRuns(canvas.defuse(runs, origin), canvas)
  if (messages.length === 0) return [canvas.draw([nothingToShow])]
  return messages.map((message) => canvas.draw(canvas.defuse(message, origin)))
}

const nothingToShow = run('There are no words in this that could be shown.', italic)
