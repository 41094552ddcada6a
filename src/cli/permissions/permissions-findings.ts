import type { CheckedRules } from '../../rules/gate/permissions/check-rules.ts'
import { plainText } from '../plain-text.ts'

/** Formats findings on rules, one a line, with the summary last. `path` prefixes the line numbers. */
export function rulesFindings(
  checked: CheckedRules,
  path: string,
  place: string,
): readonly string[] {
  const { problems, failed, notes, rules } = checked
  const findings = [
    ...problems.map((problem) => ({ ...problem, as: '' })),
    ...failed.map((problem) => ({ ...problem, as: 'example: ' })),
    ...notes.map((problem) => ({ ...problem, as: 'warning: ' })),
  ]
  const lines = findings.map(
    ({ line, message, as }) => `${path}:${line}: ${as}${plainText(message)}`,
  )
  if (problems.length > 0) {
    return [...lines, 'damaged: no rule of this text counts, and every call asks']
  }
  if (failed.length > 0) {
    return [...lines, `wrong: ${failedCount(failed.length)}, so that all that is not denied asks`]
  }
  return [...lines, `ok: ${rules} rules, ${place}`, ...(checked.allowsEverything ? [off] : [])]
}

const off = 'warning: the gate is switched off: these rules allow everything, and nothing asks'

function failedCount(count: number): string {
  return count === 1 ? 'an example does not hold' : `${count} examples do not hold`
}
