import { takesPaths } from '../../../domain/path-tools.ts'
import { forbiddenPaths } from '../checks/policy.ts'
import type { GateCall, GateFacts } from '../gate-facts.ts'
import { rulesFor } from '../permissions/rule.ts'
import { namedPaths } from '../values.ts'

/** GATE-07: the paths that a call names, absolute in the box, for the signed job; the executor compares them. */
export function judgedPaths(
  call: GateCall,
  facts: Pick<GateFacts, 'workspace'>,
): readonly string[] {
  const named = namedPaths(call, facts.workspace).map(({ forms }) => forms.absolute)
  return [...new Set([...named, ...(call.canonical ?? [])])]
}

const showsContent = /^(?:grep|find_path|list_directory|copy_path|move_path)$/

/**
 * GATE-07: the deny patterns of a tool's rules for the executor, which tries them on canonical paths as the gate does on
 * those that a call names. For tools that look through trees, those of `read` too.
 */
export function denyGlobs(tool: string, facts: GateFacts): readonly string[] {
  const tools = showsContent.test(tool) ? [tool, 'read'] : [tool]
  const worker = facts.worker.kind === 'rules' ? facts.worker.rules : []
  const rules = [...(facts.agent?.rules ?? []), ...facts.operator.rules, ...worker]
  const denies = tools
    .filter(takesPaths)
    .flatMap((name) => rulesFor(rules, name))
    .filter((rule) => rule.action === 'deny' && !rule.matchesAll)
  const byPolicy = tools.filter(takesPaths).flatMap((name) => forbiddenPaths(name, facts))
  const all = [...denies, ...byPolicy.filter((rule) => !rule.matchesAll)]
  return [...new Set(all.map(({ pattern }) => pattern))]
}
