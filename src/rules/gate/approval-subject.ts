import { commandOf, runsCommands, type ToolOrigin } from '../tools/tool-spec.ts'
import { toUrlForms } from '../web/url-forms.ts'
import type { GateCall, GateFacts } from './gate-facts.ts'
import { analyseCommand } from './shell/analyse-command.ts'
import type { SubCommand } from './shell/analysis.ts'
import { formsOf } from './shell/command-forms.ts'
import { valuesOf } from './values.ts'

/** The values of a call that the operator's quorum patterns are matched against. Plain data, because it is stored. */
export interface ApprovalSubject {
  /** Commands, URLs, hosts, names. */
  readonly texts: readonly string[]
  /** All forms of all paths, case-folded. */
  readonly paths: readonly string[]
  /** MCP-03: all arguments, and the server, of a tool that is ruled by them. */
  readonly args?: GateCall['args']
  readonly origin?: ToolOrigin
  /** The values are unknown, so every pattern for the tool applies. */
  readonly isOpaque: boolean
}

/** GATE-06: the values that rules match, in all forms that are tried for a deny rule. */
export function approvalSubject(
  call: GateCall,
  facts: Pick<GateFacts, 'workspace'>,
): ApprovalSubject {
  if (runsCommands(call.spec)) return ofCommand(commandOf(call.spec, call.args) ?? '')
  const { origin, ruledBy } = call.spec
  if (ruledBy?.kind === 'arguments') {
    const named = origin === undefined ? {} : { origin }
    return { texts: [], paths: [], args: call.args, ...named, isOpaque: false }
  }
  const values = valuesOf(call, facts)
  return {
    texts: unique(values.flatMap(({ path, text }) => (path === undefined ? textsOf(text) : []))),
    paths: unique(values.flatMap(({ path }) => path?.forms.folded ?? [])),
    isOpaque: false,
  }
}

/** Includes commands run by wrappers, possible inner commands, and the whole text. */
function ofCommand(text: string): ApprovalSubject {
  const { commands, refusal } = analyseCommand(text)
  const isOpaque = refusal !== undefined || commands.length === 0
  return { texts: unique([text, ...commands.flatMap(textsOfCommand)]), paths: [], isOpaque }
}

function textsOfCommand(command: SubCommand): readonly string[] {
  const { full, base, plain } = formsOf(command)
  return [full, base, plain]
}

function textsOf(text: string): readonly string[] {
  if (text === '') return []
  return URL.canParse(text) ? [text, ...toUrlForms(text).texts] : [text]
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
