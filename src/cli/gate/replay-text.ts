import type { Change, ChangeGroup, ReplayReport } from '../../rules/gate/replay/tally.ts'
import { plainText } from '../print.ts'

const mostShown = 20

/** APPR-12: formats a replay for people. */
export function replayText(report: ReplayReport, since: Date): string {
  const { calls, unchanged, changes, uncertain } = report
  const { allow, ask, deny } = unchanged
  const sections = [
    [
      `${calls} calls since ${since.toISOString().slice(0, 16)}Z`,
      `  ${allow + ask + deny} would be judged as they were: ${allow} allow, ${ask} ask, ${deny} deny`,
      `  ${sum(changes.map(({ count }) => count))} would change`,
      `  ${sum(Object.values(uncertain))} cannot be judged again`,
    ],
    ...changes.map(changeLines),
    [
      'Cannot be judged again:',
      ...Object.entries(uncertain).map(([why, count]) => `  ${count}× ${why}`),
    ],
  ]
  const shown = sections.filter(({ length }) => length > 1)
  return `${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function changeLines({ before, after, count, answers, groups }: Change): readonly string[] {
  const said = Object.entries(answers).map(([answer, times]) => `${times} ${answer}`)
  const people = said.length === 0 ? '' : `; what had become of them: ${said.join(', ')}`
  const shown = groups.slice(0, mostShown)
  const rest = count - sum(shown.map((group) => group.count))
  return [
    `${before} → ${after}: ${count} calls${people}`,
    ...shown.flatMap(groupLines),
    ...(rest > 0 ? [`  ${rest}× by other rules (--json shows up to a hundred)`] : []),
  ]
}

function groupLines({ by, count, examples }: ChangeGroup): readonly string[] {
  return [
    `  ${count}× ${plainText(by)}`,
    ...examples.map(({ at, callerId, tool, arguments: text }) => {
      return `      ${at.slice(0, 16)}Z ${plainText(`${callerId} ${tool} ${text}`)}`
    }),
  ]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
