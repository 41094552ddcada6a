import { decideTools, findOffered, type McpToolRow } from '../../db/worker/mcp-tools.ts'
import { record } from '../audit/record.ts'
import type { Connected } from '../transaction.ts'
import { codeOf, waitingOf } from './waiting-tools.ts'

/** A decision of an operator on the tools of a server that wait at a worker. */
export interface ToolDecision {
  readonly worker: string
  readonly server: string
  /** As shown with the tools (`codeOf`). */
  readonly code: string
  readonly state: 'approved' | 'refused'
  /** Caller id. */
  readonly by: string
}

/**
 * MCP-01: decides on all tools of a server that wait, if they are those that the code names. Returns the tools decided on, or
 * `changed` if others wait by now.
 */
export async function decideOnTools(
  { db }: Pick<Connected, 'db'>,
  { worker, server, code, state, by }: ToolDecision,
): Promise<readonly McpToolRow[] | 'changed'> {
  const waiting = waitingOf(await findOffered(db, worker), { worker, server })
  if (waiting.length === 0 || codeOf(waiting) !== code) return 'changed'
  const decided = await decideTools(db, waiting, { state, by })
  for (const tool of decided) {
    await record(db, {
      kind: 'command',
      chain: 'system',
      tool: `${server}_${tool.name}`.slice(0, 200),
      caller_id: by,
      worker,
      note: `MCP tool ${state}: sha256 ${tool.sha256}`,
    })
  }
  return decided
}
