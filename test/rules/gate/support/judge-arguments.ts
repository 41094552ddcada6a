import type { Verdict } from '../../../../src/domain/verdict.ts'
import { evaluateCall } from '../../../../src/rules/gate/gate.ts'
import { parseArguments } from '../../../../src/rules/tools/parse-arguments.ts'
import { toPresumed } from '../../../../src/rules/tools/presumed-tool.ts'
import type { ToolSpec } from '../../../../src/rules/tools/tool-spec.ts'
import { factsOf, type Setting } from './judge-with.ts'

/** A tool of a server that takes any arguments. */
export function serverTool(spec: Partial<ToolSpec> = {}): ToolSpec {
  return { ...toPresumed({ server: 'github', tool: 'create_issue' }), ...spec }
}

/** Judges a call as the product does: its text is parsed for the tool first. */
export function judgeText(
  text: string,
  setting: Setting = {},
  spec: ToolSpec = serverTool(),
): Verdict | { readonly action: 'invalid'; readonly why: string } {
  const parsed = parseArguments(spec, text)
  if (parsed.kind === 'error') return { action: 'invalid', why: parsed.error.message }
  return evaluateCall({ spec, args: parsed.args }, factsOf(setting))
}

export function judgeArguments(
  args: Readonly<Record<string, unknown>>,
  setting: Setting = {},
  spec: ToolSpec = serverTool(),
): Verdict {
  return evaluateCall({ spec, args }, factsOf(setting))
}

/** The action by one rule for the tool, before which all calls ask or, for a rule that does not allow, run. */
export function actionBy(
  pattern: string,
  action: 'allow' | 'ask' | 'deny',
  args: Readonly<Record<string, unknown>>,
): string {
  const general = action === 'allow' ? 'ask' : 'allow'
  const rules = { '*': general, [pattern]: action }
  return judgeArguments(args, { permissions: { '*': 'ask', mcp__github__create_issue: rules } })
    .action
}
