import { type Marks, type Run, textOf } from '../../render/runs/run.ts'

/** What Telegram makes a mention or a tappable command of, or a little more. */
const mention = /(?<![A-Za-z0-9_])@(?=[A-Za-z0-9_]{2})[A-Za-z0-9_]+/
const command = /(?<![A-Za-z0-9_/<>])\/[A-Za-z0-9_]+(?:@[A-Za-z0-9_]+)?(?![A-Za-z0-9_/<>])/
/** A command of ours that stands alone, or before what it takes. */
const ours =
  /\/(?:approve|always|deny|approvals|stop|clear|status|output|help|start)(?=[\s.,;:!?)]|$)/
/** Splits words into those and what stands between them. */
export const commandsOfOurs = new RegExp(`(?<![A-Za-z0-9_/<>])(${ours.source})`)
const patterns = {
  'commands and mentions': new RegExp(`${mention.source}|${command.source}`, 'g'),
  'all but our commands': new RegExp(`${mention.source}|(?!${ours.source})${command.source}`, 'g'),
}

export type Defused = keyof typeof patterns

/**
 * CHAT-05: nothing that others wrote pings a person by `@name`, or can be tapped as `/approve`. Such words stand as code,
 * where Telegram looks for neither: they read and copy as they are, without characters that nobody sees. Where a line
 * has more than `most` of them, all from the first to the last is code.
 */
export function defuse(runs: readonly Run[], what: Defused, most = Infinity): Run[] {
  const pattern = patterns[what]
  return toLines(runs).flatMap((line) => defuseLine(line, pattern, most))
}

/** Telegram looks at the text without its styles, so a match may reach over several runs. */
function defuseLine(line: readonly Run[], pattern: RegExp, most: number): readonly Run[] {
  const found = [...textOf(line).matchAll(pattern)]
  if (found.length === 0) return line
  const each = found.flatMap(({ 0: text, index }) => [index, index + text.length])
  const edges = found.length > most ? [each[0] ?? 0, each.at(-1) ?? 0] : each
  const cut: Run[] = []
  let offset = 0
  let passed = 0
  for (const run of line) {
    const isInert = run.marks.pre !== undefined || run.marks.href !== undefined
    const end = offset + run.text.length
    const cuts: number[] = []
    while ((edges[passed] ?? Infinity) <= offset) passed += 1
    const matches = passed % 2 === 1
    for (; (edges[passed] ?? Infinity) < end; passed += 1) cuts.push((edges[passed] ?? 0) - offset)
    if (isInert) cut.push(run)
    else cut.push(...cutAt(run, cuts, matches))
    offset = end
  }
  return cut
}

/** Every second stretch between the cuts is a match. */
function cutAt(run: Run, cuts: readonly number[], firstMatches: boolean): Run[] {
  return [0, ...cuts].map((start, index) => {
    const isMatch = (index % 2 === 0) === firstMatches
    const marks = isMatch ? asCode(run.marks) : run.marks
    return { ...run, text: run.text.slice(start, cuts[index]), marks }
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
