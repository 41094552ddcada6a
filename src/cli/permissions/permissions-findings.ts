import type { CheckedRules } from '../../rules/gate/permissions/check-rules.ts'
import { plainText } from '../plain-text.ts'

/** What there is to say of a text of rules, a line each, the verdict last. `path` is put before the lines of the text. */
export function rulesFindings(
  checked: CheckedRules,
  path: string,
  place: string,
): readonly string[] {
  const { problems, failed, notes, rules } = checked
  const told = [
    ...problems.map((problem) => ({ ...problem, as: '' })),
    ...failed.map((problem) => ({ ...problem, as: 'example: ' })),
    ...notes.map((problem) => ({ ...problem, as: 'warning: ' })),
  ]
  const lines = told.map(({ line, message, as }) => `${path}:${line}: ${as}${plainText(message)}`)
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
