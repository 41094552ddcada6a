import { saveServer } from '../../db/worker/mcp-tools.ts'
import type { WorkerMessage } from '../../rules/jobs/contract.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CoreContext } from '../context.ts'
import { transact } from '../transaction.ts'
import { askAboutTools } from './ask-about-tools.ts'
import type { ToolCatalogue } from './tool-catalogue.ts'

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
  const isNew = await transact(ctx, async (tx) => {
    const saved = await saveServer(tx.db, toReport(message))
    if (saved) tx.effects.toolsDue()
    return saved
  })
  if (!isNew) return
  await askAboutTools(ctx, message.worker)
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
      title: toStorable(title),
      launch: toStorable(launch),
      state,
      note: note === undefined ? null : toStorable(note),
      timeout_ms: timeoutMs,
    },
    tools: tools.map(({ name, title: own, description, inputSchema, annotations, sha256 }) => ({
      ...{ name: toStorable(name), title: own === undefined ? null : toStorable(own), sha256 },
      description: toStorable(description),
      input_schema: toStorable(inputSchema),
      annotations: JSON.stringify(annotations),
    })),
  }
}
