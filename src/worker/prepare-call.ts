import type { CallOutcome, JobHeader } from '../rules/jobs/contract.ts'
import { parseArguments } from '../rules/tools/parse-arguments.ts'
import type { ToolRegistry } from '../rules/tools/registry.ts'
import { commandOf, type ToolSpec } from '../rules/tools/tool-spec.ts'
import type { McpServers } from './mcp/mcp-servers.ts'
import type { WorkerTool } from './worker-tool.ts'

/** Tools that this worker can run, and their environment. */
export interface Abilities {
  readonly registry: ToolRegistry
  readonly workerTools: ReadonlyMap<string, WorkerTool>
  /** Tools of MCP servers, which come and go. */
  readonly mcp?: Pick<McpServers, 'find'> | undefined
  /** Returns the current path of a workspace in boxes. */
  readonly boxWorkspaceOf: (workspaceId: string) => string
  /** True if commands have a network here. */
  readonly commandsHaveNetwork: boolean
}

/** Verified job that can be started. */
export interface PreparedCall {
  readonly header: JobHeader
  readonly spec: ToolSpec
  readonly args: Readonly<Record<string, unknown>>
  /** The command line of a call for bash (OUT-03). */
  readonly command?: string | undefined
  /** CHAT-07: signed content that accompanies the arguments, in base64. */
  readonly content?: string | undefined
  /** Set if the tool runs in this process; otherwise it runs in the workspace's box. */
  readonly workerTool: WorkerTool | undefined
}

export type Preparation =
  | ({ readonly kind: 'ready' } & PreparedCall)
  | { readonly kind: 'ended'; readonly outcome: CallOutcome }

/** Finds the tool and parses the signed arguments again. If it ends here, nothing was done. */
export function prepareCall(
  header: JobHeader,
  job: { readonly arguments: string; readonly content?: string | undefined },
  abilities: Abilities,
): Preparation {
  const ofServer = header.pin === undefined ? undefined : abilities.mcp?.find(header.tool)
  const spec = ofServer?.spec ?? abilities.registry.find(header.tool)
  if (spec === undefined) return failed('tool_not_found', `This worker has no tool ${header.tool}`)
  const workerTool = ofServer?.run ?? abilities.workerTools.get(spec.name)
  if (spec.runsIn === 'agent' || (spec.runsIn === 'worker' && workerTool === undefined)) {
    return refused(`${spec.name} does not run in this worker`)
  }
  // INT-37: rules and paths were evaluated for another workspace path than the box has now.
  if (header.rules.workspace !== abilities.boxWorkspaceOf(header.workspaceId)) {
    return refused('the workspace is at another path than the one judged')
  }
  if (spec.runsPrograms === true && abilities.commandsHaveNetwork && !header.network) {
    return refused('commands have a network in this worker, and the agent allows them none')
  }
  const parsed = parseArguments(spec, job.arguments)
  if (parsed.kind === 'error') return failed(parsed.error.category, parsed.error.message)
  const placed = spec.runsIn === 'worker' ? workerTool : undefined
  return {
    kind: 'ready',
    header,
    spec,
    args: parsed.args,
    command: commandOf(spec, parsed.args),
    content: job.content,
    workerTool: placed,
  }
}

function refused(why: string): Preparation {
  return { kind: 'ended', outcome: { kind: 'refused', why } }
}

type Category = Extract<CallOutcome, { kind: 'failed' }>['error']['category']

function failed(category: Category, message: string): Preparation {
  return { kind: 'ended', outcome: { kind: 'failed', error: { category, message } } }
}
