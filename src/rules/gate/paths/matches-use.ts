import type { PathForms } from '../../../shared/paths/path-forms.ts'
import { matchesPath } from '../../../shared/paths/path-rule.ts'
import type { Rule } from '../permissions/rule.ts'

/** A grant by *Always* for writing or deleting covers that path only, nothing below it. */
export function matchesUse(rule: Rule, path: PathForms, use: 'read' | 'write' | 'remove'): boolean {
  if (!rule.grant || use === 'read' || rule.literal === undefined) return matchesPath(rule, path)
  return rule.literal === (path.inWorkspace ? path.relative : path.absolute)
}
