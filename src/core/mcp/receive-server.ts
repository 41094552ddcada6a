import { findOperatorsInPrivate } from '../../db/outbox/reach.ts'
import { findOffered, type McpToolRow, saveServer } from '../../db/worker/mcp-tools.ts'
import type { WorkerMessage } from '../../rules/jobs/contract.ts'
import type { CoreContext } from '../context.ts'
import { alert, notice, type Transaction, transact } from '../transaction.ts'
import type { ToolCatalogue } from './tool-catalogue.ts'
import { codeOf, describeWaiting } from './waiting-tools.ts'

interface ServerContext extends CoreContext {
  readonly catalogue: ToolCatalogue
}

/**
 * Stores what a worker says of an MCP server. Descriptions that nobody has seen are a question to operators (MCP-01): until one
 * of them answers, the tool is not offered.
 */
export async function receiveServer(
  ctx: ServerContext,
  message: Extract<WorkerMessage, { type: 'server' }>,
): Promise<void> {
  const { worker, server } = message
  await transact(ctx, async (tx) => {
    const unseen = await saveServer(tx.db, toReport(message))
    if (unseen === undefined) return
    tx.effects.toolsDue()
    if (unseen.length > 0) await askOperators(tx, worker, server)
  })
  await ctx.catalogue.load(ctx.db)
}

function toReport({
  worker,
  replica,
  server,
  beat,
  title,
  launch,
  state,
  note,
  timeoutMs,
  tools,
}: Extract<WorkerMessage, { type: 'server' }>) {
  return {
    ...{
      worker,
      replica,
      server,
      beat,
      title,
      launch,
      state,
      note: note ?? null,
      timeout_ms: timeoutMs,
    },
    tools: tools.map(({ name, title: own, description, inputSchema, annotations, sha256 }) => ({
      ...{ name, title: own ?? null, description, sha256 },
      input_schema: inputSchema,
      annotations: JSON.stringify(annotations),
    })),
  }
}

async function askOperators(tx: Transaction, worker: string, server: string): Promise<void> {
  const { mcp } = tx.ctx.messages
  const offered = await findOffered(tx.db, worker)
  const waiting = offered.filter((tool) => tool.server === server && tool.state === 'waiting')
  if (waiting.length === 0) return
  const lines = await describeWaiting(tx.db, tx.ctx.messages, waiting)
  const text = [
    mcp.asks({ server, worker, count: waiting.length }),
    ...lines.map((line) => `• ${line}`),
    mcp.howToAnswer({ server, code: codeOf(waiting) }),
  ].join('\n')
  tx.ctx.log.info(
    { worker, server, tools: namesOf(waiting) },
    'tools of an MCP server wait for an operator',
  )
  await alert(tx, { text })
  for (const conversationId of await findOperatorsInPrivate(tx.db))
    await notice(tx, conversationId, text)
}

function namesOf(tools: readonly McpToolRow[]): readonly string[] {
  return tools.map(({ name }) => name)
}
