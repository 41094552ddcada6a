import type { Canvas, Origin } from './canvas.ts'
import { toPrintable } from './printable.ts'
import { codeBlock } from './runs/card-runs.ts'
import { markdownRuns } from './runs/markdown-runs.ts'
import { italic, lineBreak, plainRuns, type Run, run } from './runs/run.ts'
import { splitRuns } from './runs/split-runs.ts'

/** Draws a model's markdown as one or more messages within the platform's limits (CHAT-05). */
export function drawMarkdown<Drawn>(canvas: Canvas<Drawn>, markdown: string): Drawn[] {
  return drawMessages(canvas, markdownRuns(markdown), 'answer')
}

/** Draws text of the product, in which its `/commands` can be tapped, with foreign text below as code. */
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

/** Runs of a notice, and the foreign text below it ('' if none). */
export function noticeRuns(
  text: string,
  quoted: string,
): { readonly words: readonly Run[]; readonly box: string } {
  const lines = toPrintable(text).split('\n').map(withoutColumns).join('\n')
  const box = toPrintable(quoted)
  return { words: plainRuns(lines), box: box.trim() === '' ? '' : box }
}

/** Removes the alignment of columns, which a proportional font does not keep. */
function withoutColumns(line: string): string {
  return line.replace(/^(\/\S(?: ?\S)*) {2,}(?=\S)/, '$1 – ')
}

/** Makes text inert again after the split, as the middle of a word may now start a message. */
function drawMessages<Drawn>(canvas: Canvas<Drawn>, runs: readonly Run[], origin: Origin): Drawn[] {
  const messages = splitRuns(canvas.makeInert(runs, origin), canvas)
  if (messages.length === 0)
    return [canvas.draw([run(canvas.messages.display.nothingToShow, italic)])]
  return messages.map((message) => canvas.draw(canvas.makeInert(message, origin)))
}
