import type { ApproverRule } from '../../domain/approvers.ts'
import { isAtLeast } from '../../domain/caller.ts'

const counts = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/**
 * Who may approve a question, as its card says it; whoever may, and whoever asked, can deny it alone. Where it begins with the
 * name of who asked, the name is all that others wrote.
 */
export function whoMayAnswer(rule: ApproverRule, requestedBy: string): string {
  const { people, leastRole, allowSelf } = rule
  if (leastRole === 'user' && allowSelf) {
    if (people === 1) return `${requestedBy}, or an approver`
    return `${countOf(people)} people: whoever asked, or approvers`
  }
  const who = isAtLeast(leastRole, 'operator') ? 'operator' : 'approver'
  const those = people === 1 ? `an ${who}` : `${countOf(people)} ${who}s`
  return allowSelf ? those : `${those}, not the one who asked`
}

function countOf(people: number): string {
  return counts[people] ?? String(people)
}
