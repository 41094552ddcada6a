import { escapeWildcard } from '../../../util/text/wildcard-match.ts'
import type { ToolSpec } from '../../tools/tool-spec.ts'
import { alwaysForCommand } from '../always.ts'
import { explain } from '../explain/explain.ts'
import { evaluateCall, type GateCall, type GateFacts } from '../gate.ts'
import type { Grant } from '../permissions/rule.ts'
import type { ShellAnalysis, SubCommand } from '../shell/analysis.ts'
import { isNeverSuggested, mayBeWide } from './never-suggested.ts'

/** A rule that would have spared a question: for exactly this, and for others like it where that may be proposed. */
export interface Candidate {
  readonly tool: string
  readonly exact: string
  readonly wide: string | undefined
  /** What was asked about, to show it. */
  readonly text: string
}

const ofFiles = /^(?:read|write|edit|list_directory|create_directory|grep)$/

/** APPR-21: the rules that would let a call run which asks by these facts; none where no rule may be proposed for it. */
export function candidatesOf(
  spec: ToolSpec,
  args: GateCall['args'],
  facts: GateFacts,
): readonly Candidate[] {
  const call = { spec, args }
  const candidates = spec.name === 'bash' ? ofCommand(call, facts) : ofTool(call, facts)
  const exact = candidates.map(({ tool, exact: pattern }): Grant => ({ tool, pattern }))
  const grants = [...facts.grants, ...exact]
  // What else speaks against it: hazards, denies, places outside.
  return evaluateCall(call, { ...facts, grants }).action === 'allow' ? candidates : []
}

function ofCommand(call: GateCall, facts: GateFacts): readonly Candidate[] {
  const { verdict, analysis, decisions } = explain(call, facts)
  if (verdict.action !== 'ask' || analysis === undefined || analysis.hazards.length > 0) return []
  const commands = analysis.commands.filter(({ standing }) => standing === 'plain')
  if (!commands.every(mayBeSuggested)) return []
  const asks = new Set(decisions.flatMap(({ about, action }) => (action === 'ask' ? about : [])))
  return commands
    .filter(({ words }) => asks.has(words.join(' ')))
    .map((command) => toCandidate(command, analysis, facts))
}

function mayBeSuggested({ words, hazards, form }: SubCommand): boolean {
  return hazards.length === 0 && form === undefined && !isNeverSuggested(words)
}

function toCandidate(command: SubCommand, analysis: ShellAnalysis, facts: GateFacts): Candidate {
  const text = command.words.join(' ')
  const [offered] = alwaysForCommand({ ...analysis, commands: [command] }, false, facts)
  // What stands without arguments is one of those with them.
  const wide = [offered, `${offered} *`].find((one) => one !== undefined && mayBeWide(one))
  return { tool: 'bash', exact: escapeWildcard(text), wide, text }
}

function ofTool(call: GateCall, facts: GateFacts): readonly Candidate[] {
  const { name, kind } = call.spec
  const { action, patterns, alwaysPatterns } = evaluateCall(call, facts)
  if (action !== 'ask') return []
  const [text = ''] = patterns
  if (kind === 'fetch') {
    return [{ tool: name, exact: escapeWildcard(text), wide: alwaysPatterns[0], text }]
  }
  // The workspace as a whole is nothing narrow.
  if (!ofFiles.test(name) || alwaysPatterns.includes('.')) return []
  return alwaysPatterns.map((exact) => ({ tool: name, exact, wide: undefined, text: exact }))
}
