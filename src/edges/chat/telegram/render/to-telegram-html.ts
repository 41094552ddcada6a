import { toPrintable } from '../../render/printable.ts'
import { type Defused, defuse } from './defuse.ts'
import { markdownRuns } from './markdown-runs.ts'
import { lineBreak, plainRuns, type Run, run } from './run.ts'
import { splitRuns } from './split-runs.ts'
import { toHtml } from './to-html.ts'

/** CHAT-05: a model's markdown as messages in HTML parse mode, at least one, each within Telegram's limits. */
export function toTelegramHtml(markdown: string): string[] {
  return toMessages(markdownRuns(markdown), 'commands and mentions')
}

/** The same for plain words of our own, in which our `/commands` can be tapped; below them others' words, as code. */
export function noticeHtml(text: string, quoted = ''): string[] {
  const lines = toPrintable(text).split('\n').map(withoutColumns).join('\n')
  const words = plainRuns(lines)
  const box = toPrintable(quoted)
  if (box.trim() === '') return toMessages(words, 'all but our commands')
  const gap = words.length === 0 ? [] : [lineBreak()]
  return toMessages([...words, ...gap, run(box, { pre: '' })], 'all but our commands')
}

/** What is aligned for a terminal is not in a proportional font. */
function withoutColumns(line: string): string {
  return line.replace(/^(\/\S(?: ?\S)*) {2,}(?=\S)/, '$1 – ')
}

/** Once more after the split: what was the middle of a word may begin a message. */
function toMessages(runs: readonly Run[], defused: Defused): string[] {
  const messages = splitRuns(defuse(runs, defused))
  if (messages.length === 0) return [nothingToShow]
  return messages.map((message) => toHtml(defuse(message, defused)))
}

const nothingToShow = '<i>There are no words in this that could be shown.</i>'
