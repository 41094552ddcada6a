import { commandOf, runsCommands, type ToolSpec } from '../../tools/tool-spec.ts'
import { forbiddenPaths } from '../checks/policy.ts'
import type { BoxListing } from '../checks/shell-listings.ts'
import { leftToBox } from '../checks/shell-paths.ts'
import { type WrittenPath, writtenPaths } from '../checks/written-paths.ts'
import type { GateCall, GateFacts } from '../gate-facts.ts'
import { rulesFor } from '../permissions/rule.ts'
import { analyseCommand } from '../shell/analyse-command.ts'
import { namedPaths } from '../values.ts'

/** GATE-07: the paths that a call names, absolute in the box, for the signed job; the executor compares them with its own. */
export function declaredPaths(
  call: GateCall,
  facts: Pick<GateFacts, 'workspace'>,
): readonly string[] {
  const named = namedPaths(call, facts.workspace).map(({ forms }) => forms.absolute)
  return [...new Set([...named, ...(call.canonical ?? [])])]
}

/** SHELL-04, SHELL-07: the listings that the box runs before a bash command, to check the names it will use. */
export function listingsOf({ spec, args }: GateCall, facts: GateFacts): readonly BoxListing[] {
  const command = commandOf(spec, args)
  return command === undefined ? [] : leftToBox(analyseCommand(command), facts)
}

/** SHELL-11: the paths that a bash command may write, for the box to follow their links. */
export function writtenOf(
  { spec, args }: GateCall,
  facts: Pick<GateFacts, 'workspace'>,
): readonly WrittenPath[] {
  const command = commandOf(spec, args)
  return command === undefined ? [] : writtenPaths(analyseCommand(command), facts)
}

/**
 * GATE-07: a tool's deny patterns for the executor, which applies them to canonical paths as the gate does to named ones. Tools
 * that walk directory trees also get those of `read`; wildcards in commands those of `read` and `write`.
 */
export function denyGlobs(spec: ToolSpec, facts: GateFacts): readonly string[] {
  const tools = runsCommands(spec) ? ['read', 'write'] : pathRulesOf(spec)
  const worker = facts.worker.kind === 'rules' ? facts.worker.rules : []
  const rules = [...(facts.agent?.rules ?? []), ...facts.operator.rules, ...worker]
  const denies = tools
    .flatMap((name) => rulesFor(rules, { name }))
    .filter((rule) => rule.action === 'deny' && !rule.matchesAll)
  const byPolicy = tools.flatMap((name) => forbiddenPaths(name, facts))
  const all = [...denies, ...byPolicy.filter((rule) => !rule.matchesAll)]
  return [...new Set(all.map(({ pattern }) => pattern))]
}

function pathRulesOf({ name, ruledBy, walksTree }: ToolSpec): readonly string[] {
  return [...(ruledBy?.kind === 'paths' ? [name] : []), ...(walksTree === true ? ['read'] : [])]
}
