import { gatePartsOf } from '../../app/gate-parts.ts'
import type { CommandInput } from '../../app/with-database.ts'
import type { Config } from '../../config/config.ts'
import { CommandError } from '../../domain/command-error.ts'
import { type Explanation, explain } from '../../rules/gate/explain/explain.ts'
import { parseArguments } from '../../rules/tools/parse-arguments.ts'
import { toolFinder } from '../../rules/tools/presumed-tool.ts'
import { nearestTools, toToolName } from '../../rules/tools/registry.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { type CallContext, readContext } from './read-context.ts'

/** Hypothetical call; arguments are JSON text. */
export interface CallToExplain extends CommandInput, CallContext {
  readonly tool: string
  readonly arguments: string
}

export interface ExplainedCall extends Explanation {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly worker: string
  readonly workspace: string
  /** Facts that the gate would know for a real call and that are unknown here. */
  readonly unseen: readonly string[]
}

/** APPR-12: explains the gate's verdict on a call. Runs nothing; throws CommandError for an invalid call. */
export async function explainCall(asked: CallToExplain): Promise<ExplainedCall> {
  const spec = specOf(asked.tool, asked.config)
  const parsed = parseArguments(spec, asked.arguments)
  if (parsed.kind === 'error') throw new CommandError(parsed.error.message, { code: 'USAGE' })
  const place = await readContext(asked, gatePartsOf(asked.config), asked)
  const { worker, facts, unseen } = place
  return {
    tool: spec.name,
    arguments: parsed.args,
    worker,
    workspace: facts.workspace,
    unseen: [...unseen, ...unseenOfTool(spec, asked.config)],
    ...explain({ spec, args: parsed.args }, facts),
  }
}

/** Returns reasons why a model's call of this tool might not reach the gate. */
function unseenOfTool({ name, origin }: ToolSpec, { tools }: Config): readonly string[] {
  if (!tools.enabled) {
    return ['tools are switched off ([tools] enabled): no call comes as far as the gate']
  }
  if (origin !== undefined) {
    return [
      `what the server ${origin.server} says of its tool: schema, annotations, whether it exists`,
    ]
  }
  const { dependencies } = tools
  const rule = Object.hasOwn(dependencies.rules, name) ? dependencies.rules[name] : undefined
  if (!dependencies.enabled || rule === undefined || rule.requires.length === 0) return []
  const needed = rule.requires.join(', ')
  return [`whether ${needed} succeeded first ([tools.dependencies]): see countersign tools explain`]
}

function specOf(name: string, { mcp }: Config): ToolSpec {
  const spec = toolFinder(Object.keys(mcp))(name)
  if (spec !== undefined) return spec
  const near = nearestTools(toToolName(name))
  const hint = near.length === 0 ? '' : `; the nearest are ${near.join(', ')}`
  throw new CommandError(`there is no tool ${JSON.stringify(name)}${hint}`, {
    code: 'UNKNOWN_NAME',
  })
}
