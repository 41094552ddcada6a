import { type Marks, type Run, textOf } from '../../render/runs/run.ts'

/** Texts that Telegram turns into a mention or a tappable command, matched somewhat broadly. */
const mention = /(?<![A-Za-z0-9_])@(?=[A-Za-z0-9_]{2})[A-Za-z0-9_]+/
const command = /(?<![A-Za-z0-9_/<>])\/[A-Za-z0-9_]+(?:@[A-Za-z0-9_]+)?(?![A-Za-z0-9_/<>])/
/** A command of the product, alone or before its argument. */
const ownCommand =
  /\/(?:approve|always|deny|approvals|stop|clear|status|output|help|start)(?=[\s.,;:!?)]|$)/
/** Splits text into such commands and the text between them. */
export const ownCommands = new RegExp(`(?<![A-Za-z0-9_/<>])(${ownCommand.source})`)
const patterns = {
  'commands and mentions': new RegExp(`${mention.source}|${command.source}`, 'g'),
  'all but our commands': new RegExp(
    `${mention.source}|(?!${ownCommand.source})${command.source}`,
    'g',
  ),
}

export type DefuseMode = keyof typeof patterns

/**
 * Makes mentions and commands in foreign text inert (CHAT-05): they become inline code, where Telegram looks for neither, so
 * that `@name` pings no one and `/approve` cannot be tapped. Unlike with invisible characters, the text can be copied
 * unchanged. In a line with more than `most` of them, everything from the first to the last becomes code.
 */
export function makeInert(runs: readonly Run[], what: DefuseMode, maxPieces = Infinity): Run[] {
  const pattern = patterns[what]
  return toLines(runs).flatMap((line) => makeLineInert(line, pattern, maxPieces))
}

/** Makes one line inert. Telegram searches the text without its styles, so a match may span several runs. */
function makeLineInert(line: readonly Run[], pattern: RegExp, maxPieces: number): readonly Run[] {
  const found = [...textOf(line).matchAll(pattern)]
  if (found.length === 0) return line
  const each = found.flatMap(({ 0: text, index }) => [index, index + text.length])
  const edges = found.length > maxPieces ? [each[0] ?? 0, each.at(-1) ?? 0] : each
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

/** Splits a run; every second piece is a match. */
function cutAt(run: Run, cuts: readonly number[], firstMatches: boolean): Run[] {
  return [0, ...cuts].map((start, index) => {
    const isMatch = (index % 2 === 0) === firstMatches
    const marks = isMatch ? asCode(run.marks) : run.marks
    return { ...run, text: run.text.slice(start, cuts[index]), marks }
  })
}

function asCode({ quote, details }: Marks): Marks {
  return {
    ...(quote === true && { quote }),
    ...(details === true && { details }),
    code: true,
  }
}

function toLines(runs: readonly Run[]): Run[][] {
  const lines: Run[][] = [[]]
  for (const run of runs) {
    if (run.breaks === undefined && run.marks.pre === undefined) lines.at(-1)?.push(run)
    else lines.push([run], [])
  }
  return lines
}
