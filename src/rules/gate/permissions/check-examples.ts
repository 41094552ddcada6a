import type { Action } from '../../../domain/verdict.ts'
import { toPathForms } from '../../../shared/paths/path-forms.ts'
import { matchesPath } from '../../../shared/paths/path-rule.ts'
import { isRecord } from '../../../util/guards.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { isMcpName } from '../../tools/mcp-names.ts'
import { presumedTool } from '../../tools/presumed-tool.ts'
import { findTool, takesPaths, toToolName } from '../../tools/registry.ts'
import { runsCommands, type ToolSpec } from '../../tools/tool-spec.ts'
import { argumentMatcher } from '../arguments/match-arguments.ts'
import { ruleMatchesCommand } from '../checks/shell.ts'
import { evaluateCall, type GateCall, type GateFacts } from '../gate.ts'
import { valuesOf } from '../values.ts'
import { matchesText, type Rule, type RuleExample, type WorkerRules } from './rule.ts'

/** An example with the actual result if it fails. */
export interface TriedExample {
  readonly example: RuleExample
  readonly fault: string | undefined
}

/** APPR-21: runs all examples of a rules file, in order. Relative paths start at `home`. */
export function tryExamples(worker: WorkerRules, home: string): readonly TriedExample[] {
  if (worker.kind === 'damaged' || worker.examples === undefined) return []
  const facts = factsOf(worker.rules, home)
  return worker.examples.map((example) => ({ example, fault: faultOf(example, facts) }))
}

function faultOf({ text, tool, claim }: RuleExample, facts: GateFacts): string | undefined {
  const shown = JSON.stringify(text)
  if (claim.kind === 'verdict') {
    const action = actionOf(toToolName(tool), text, facts)
    if (action === undefined) return `${shown}: nothing can be tried with ${JSON.stringify(tool)}`
    return action === claim.action
      ? undefined
      : `${shown} is to be ${claim.action}, and is ${action}`
  }
  const matches = ruleMatches(claim.rule, text, facts.workspace)
  if (matches === (claim.kind === 'match')) return undefined
  const pattern = JSON.stringify(claim.rule.pattern)
  return claim.kind === 'match'
    ? `${pattern} is to match ${shown}, and does not`
    : `${pattern} is not to match ${shown}, and does`
}

/** A rule with a wildcard tool may match any kind of value, so `no match` requires that none matches. */
function ruleMatches(rule: Rule, text: string, workspace: string): boolean {
  if (rule.matchesAll) return true
  const spec = findTool(rule.tool)
  if (spec !== undefined && runsCommands(spec)) return ruleMatchesCommand(rule, text)
  const inPath = () => matchesPath(rule, toPathForms(text, workspace))
  if (takesPaths(rule.tool)) return inPath()
  if (spec?.ruledBy?.kind === 'url') {
    const args = { [spec.ruledBy.argument]: text }
    return valuesOf({ spec, args }, { workspace }).some(({ matches }) => matches(rule))
  }
  const args = tryParseJson(text)
  if (spec === undefined && isRecord(args)) return argumentMatcher(args)(rule) === 'yes'
  if (isMcpName(rule.tool)) return false
  if (/[*?]/.test(rule.tool))
    return matchesText(rule, text) || ruleMatchesCommand(rule, text) || inPath()
  return matchesText(rule, text)
}

/** The gate's action by these rules alone; undefined: this tool cannot be tested with one text. */
function actionOf(tool: string, text: string, facts: GateFacts): Action | undefined {
  const spec = findTool(tool) ?? presumedTool(tool, 'any')
  const args = spec === undefined ? undefined : argumentsOf(spec, text)
  if (spec === undefined || args === undefined) return undefined
  return evaluateCall({ spec, args }, facts).action
}

/** Uses the text for all values that rules match, or as the JSON of all arguments; undefined if it is none. */
function argumentsOf(
  { ruledBy, paths = [] }: ToolSpec,
  text: string,
): GateCall['args'] | undefined {
  if (ruledBy === undefined) return {}
  if (ruledBy.kind === 'arguments') {
    const args = tryParseJson(text)
    return isRecord(args) ? args : undefined
  }
  if (ruledBy.kind !== 'paths') return { [ruledBy.argument]: text }
  const named = Object.fromEntries(paths.map(({ argument }) => [argument, text]))
  return { ...named, ...(ruledBy.pattern !== undefined && { [ruledBy.pattern]: '*' }) }
}

/** No other layers, and commands are confined. */
function factsOf(rules: readonly Rule[], workspace: string): GateFacts {
  return {
    operator: { rules: [] },
    worker: { kind: 'rules', rules },
    grants: [],
    workspace,
    protectedPaths: [],
    allowedPaths: [],
    commandPaths: [],
    readablePaths: [],
    confined: true,
    web: { allowedDomains: [], deniedDomains: [], allowedPorts: [] },
  }
}
