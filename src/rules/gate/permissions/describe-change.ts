import { shorten } from '../../../util/text/shorten.ts'
import { parsePermissions } from './parse-permissions.ts'

const maxListed = 40
const maxPattern = 200

/**
 * Describes an edit of a worker's rules, one line each, as `+ bash "git push *" allow`, removed ones first. Also mentions if
 * rules only moved or only comments changed. Empty if the texts are equal.
 */
export function describeChange(before: string, after: string): readonly string[] {
  if (before === after) return []
  const [old, present] = [rulesOf(before), rulesOf(after)]
  if (typeof present === 'string') return [present]
  if (typeof old === 'string') return [`it was damaged; now there are ${present.length} rules`]
  const changes = [
    ...without(old, present).map((rule) => `- ${rule}`),
    ...without(present, old).map((rule) => `+ ${rule}`),
  ]
  if (changes.length > maxListed) {
    return [...changes.slice(0, maxListed), `and ${changes.length - maxListed} more`]
  }
  if (changes.length > 0) return changes
  const isMoved = old.some((rule, index) => rule !== present[index])
  return [isMoved ? 'the same rules in another order' : 'the same rules, other comments']
}

/** The rules in words, or a message if they cannot be parsed. */
function rulesOf(text: string): readonly string[] | string {
  const rules = parsePermissions(text, { home: '~' })
  if (rules.kind === 'damaged') return 'the text is damaged'
  return rules.rules.map(({ tool, pattern, action, grant }) => {
    const shown = shorten(JSON.stringify(pattern), maxPattern)
    return `${tool} ${shown} ${action}${grant ? ', granted' : ''}`
  })
}

/** The multiset difference of two lists of rules. */
function without(rules: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const rule of others) left.set(rule, (left.get(rule) ?? 0) + 1)
  return rules.filter((rule) => {
    const count = left.get(rule) ?? 0
    left.set(rule, count - 1)
    return count <= 0
  })
}
