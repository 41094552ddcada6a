import { findOperatorsInPrivate } from '../../db/outbox/reach.ts'
import { findOffered, type McpToolRow, takeUnasked } from '../../db/worker/mcp-tools.ts'
import type { CoreContext } from '../context.ts'
import { alert, notice, type Transaction, transact } from '../transaction.ts'
import { codeOf, describeWaiting, waitingOf } from './waiting-tools.ts'

/**
 * MCP-01: tells operators of tools that wait for them, of one worker or all, each description once. Call whenever a server has
 * reported, and from time to time: of one server they are told at most every ten minutes, however often it changes (MCP-08).
 */
export async function askAboutTools(ctx: CoreContext, worker?: string): Promise<void> {
  const offered = await findOffered(ctx.db, worker)
  const unasked = offered.filter((tool) => tool.state === 'waiting' && tool.asked_at === null)
  for (const tools of byServer(unasked)) {
    await transact(ctx, async (tx) => {
      const taken = await takeUnasked(tx.db, tools)
      const [first] = taken
      if (first === undefined) return
      await ask(tx, waitingOf(offered, first), first)
    })
  }
}

function byServer(tools: readonly McpToolRow[]): readonly (readonly McpToolRow[])[] {
  return [...Map.groupBy(tools, ({ worker, server }) => JSON.stringify([worker, server])).values()]
}

async function ask(
  tx: Transaction,
  waiting: readonly McpToolRow[],
  { worker, server }: McpToolRow,
): Promise<void> {
  const { mcp } = tx.ctx.messages
  const lines = await describeWaiting(tx.db, tx.ctx.messages, waiting)
  const text = [
    mcp.asks({ server, worker, count: waiting.length }),
    ...lines,
    mcp.howToAnswer({ server, code: codeOf(waiting) }),
  ].join('\n')
  const tools = waiting.map(({ name }) => name)
  tx.ctx.log.info({ worker, server, tools }, 'tools of an MCP server wait for an operator')
  await alert(tx, { text })
  for (const conversationId of await findOperatorsInPrivate(tx.db))
    await notice(tx, conversationId, text)
}
