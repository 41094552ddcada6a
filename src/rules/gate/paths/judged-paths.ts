import { forbiddenPaths } from '../checks/policy.ts'
import type { GateCall, GateFacts } from '../gate-facts.ts'
import { escapePathGlob, isLiteralGlob } from '../match/path-glob.ts'
import { type Rule, rulesFor } from '../permissions/rule.ts'
import { takesPaths } from '../permissions/takes-paths.ts'
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
 * GATE-07: the deny patterns of a tool's rules for the executor, which tries them on canonical paths: absolute, and once
 * more for any directory. For tools that look through trees, those of `read` too.
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
  return [...new Set(all.flatMap((rule) => globsOf(rule, facts.workspace)))]
}

function globsOf(rule: Rule, workspace: string): readonly string[] {
  const pattern = rule.pattern.replace(/^\.\//, '')
  const below = isLiteralGlob(pattern) ? ['', '/**'] : ['']
  const places =
    pattern.startsWith('/') || pattern.startsWith('**')
      ? [pattern]
      : [
          `${escapePathGlob(workspace)}/${pattern}`,
          ...(pattern.includes('/') ? [] : [`**/${pattern}`]),
        ]
  return places.flatMap((place) => below.map((end) => `${place}${end}`))
}
