import { plainText } from '../print.ts'
import type { AuditStats } from './audit-stats.ts'

/** APPR-22: formats statistics for people. */
export function statsText(stats: AuditStats): string {
  const { since, calls, questions, approved, denied, expired } = stats
  const others = questions - approved - denied - expired
  const sections = [
    [
      `Since ${since.slice(0, 16)}Z`,
      `  calls decided      ${calls}`,
      `  asked a person     ${questions}${share(questions, calls)}`,
      `  approved           ${approved}${share(approved, questions)}`,
      `  denied             ${denied}${share(denied, questions)}`,
      `  expired            ${expired}${share(expired, questions)}`,
      `  ended otherwise    ${others}${share(others, questions)}`,
      `  time to decision   ${duration(stats.median_ms)} (median), ${duration(stats.p90_ms)} (p90)`,
    ],
    [
      'Refused by',
      ...stats.denials_by_rule.map(({ denied_by, said_by, rule, calls: times }) => {
        const by = rule ?? (said_by === null ? '' : `the check ${said_by}`)
        return `  ${times}× ${plainText([denied_by, by].filter(Boolean).join(': '))}`
      }),
    ],
    [
      'Whose calls were refused',
      ...stats.denials_by_caller.map(({ caller_id, by_gate, by_people, by_time }) => {
        return `  ${plainText(caller_id)}: ${by_gate} by the gate, ${by_people} by people, ${by_time} by time`
      }),
    ],
    [
      'Approved most',
      ...stats.most_approved.map(({ tool, arguments: args, approvals, people }) => {
        return `  ${approvals}× ${plainText(`${tool} ${shorten(args ?? '')}`)} (${plainText(people.join(', '))})`
      }),
    ],
  ]
  const shown = sections.filter(({ length }) => length > 1)
  return `${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : ` (${((100 * part) / whole).toFixed(1)}%)`
}

function duration(ms: number | null): string {
  if (ms === null) return 'none'
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const longest = 100

function shorten(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}
