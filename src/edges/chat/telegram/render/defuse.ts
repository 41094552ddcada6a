import { type Marks, type Run, textOf } from './run.ts'

/** What Telegram makes a mention or a tappable command of, or a little more. */
const mention = /(?<![A-Za-z0-9_])@(?=[A-Za-z0-9_]{2})[A-Za-z0-9_]+/
const command = /(?<![A-Za-z0-9_/<>])\/[A-Za-z0-9_]+(?:@[A-Za-z0-9_]+)?(?![A-Za-z0-9_/<>])/
const mentions = new RegExp(mention, 'g')
const mentionsAndCommands = new RegExp(`${mention.source}|${command.source}`, 'g')

export type Defused = 'mentions' | 'commands and mentions'

/**
 * CHAT-05: nothing that others wrote pings a person by `@name`, or can be tapped as `/approve`. Such words stand as code,
 * where Telegram looks for neither: they read and copy as they are, without characters that nobody sees. Where a line
 * has more than `most` of them, all from the first to the last is code.
 */
export function defuse(runs: readonly Run[], what: Defused, most = Infinity): Run[] {
  const pattern = what === 'mentions' ? mentions : mentionsAndCommands
  return toLines(runs).flatMap((line) => defuseLine(line, pattern, most))
}

/** Telegram looks at the text without its styles, so a match may reach over several runs. */
function defuseLine(line: readonly Run[], pattern: RegExp, most: number): readonly Run[] {
  const found = [...textOf(line).matchAll(pattern)]
  if (found.length === 0) return line
  const each = found.flatMap(({ 0: text, index }) => [index, index + text.length])
  const edges = found.length > most ? [each[0] ?? 0, each.at(-1) ?? 0] : each
  let offset = 0
  return line.flatMap((run) => {
    const from = offset
    offset += run.text.length
    if (run.marks.pre !== undefined || run.marks.href !== undefined) return [run]
    return cutAt(run, from, edges)
  })
}

/** Every second stretch between the edges is a match. */
function cutAt(run: Run, from: number, edges: readonly number[]): Run[] {
  const to = from + run.text.length
  const inside = edges.filter((edge) => edge > from && edge < to)
  let matches = edges.filter((edge) => edge <= from).length % 2 === 1
  return [from, ...inside].map((start, index) => {
    const text = run.text.slice(start - from, (inside[index] ?? to) - from)
    const marks = matches ? asCode(run.marks) : run.marks
    matches = !matches
    return { ...run, text, marks }
  })
}

function asCode({ quote }: Marks): Marks {
  return quote === true ? { quote, code: true } : { code: true }
}

function toLines(runs: readonly Run[]): Run[][] {
  const lines: Run[][] = [[]]
  for (const run of runs) {
    if (run.breaks === undefined && run.marks.pre === undefined) lines.at(-1)?.push(run)
    else lines.push([run], [])
  }
  return lines
}
