import type { PathForms } from '../../../shared/paths/path-forms.ts'
import { mayMatch, toShellGlob } from '../match/globs-overlap.ts'
import { isReader } from '../orders/is-reader.ts'
import type { ToolRules } from '../permissions/evaluation.ts'
import type { SubCommand } from '../shell/analysis.ts'
import { isMove } from '../shell/cd-target.ts'
import { destructive } from '../shell/programs/programs.ts'
import { onlyBuilds } from '../shell/programs/project-tools.ts'

/** Whether a command's words have the same effect in any directory: it reads, or runs a tool of the project there. */
export function staysPlain({ words, globs = [] }: SubCommand): boolean {
  const isRead = isReader(words) && !destructive.has(words[0] ?? '')
  return isMove(words) || (globs.length === 0 && (isRead || onlyBuilds(words)))
}

/** `$(date +%F)`, `$(id -u)`. */
const madeOfDigits = /\$\((?:date|id|nproc)[^()]*\)/g

/**
 * Whether a path in an untold directory, or with digits that the text does not tell, may be denied by them. The box checks the
 * directory itself by its name, so that a rule for any name matters only if it speaks of both.
 */
export function mayBeDenied(
  path: PathForms,
  layers: readonly ToolRules[],
  isThereUntold: boolean,
): boolean {
  const hasDigits = path.given.includes('$(') && path.given.search(madeOfDigits) !== -1
  if (!hasDigits && !isThereUntold) return false
  const words = path.folded.map((text) => toShellGlob(text.replaceAll(madeOfDigits, '*')))
  const mayMatter = hasDigits ? /[\d?[]|^\*?\*$/ : /\/|[^*][*?[{(][^*]/
  return layers.some(({ agent, operator, file }) =>
    [...agent, ...operator, ...file].some(
      (rule) => rule.action === 'deny' && mayMatter.test(rule.pattern) && mayMatch(rule, words),
    ),
  )
}
