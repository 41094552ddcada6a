import {
  findOffered,
  findServers,
  type McpServerRow,
  type McpToolRow,
  type OfferedTool,
} from '../../../db/worker/mcp-tools.ts'
import { may } from '../../../domain/caller.ts'
import { mcpToolName } from '../../../domain/tool/mcp-tool.ts'
import { makeVisible } from '../../../rules/gate/visible.ts'
import { quoteOutput } from '../../card/card-excerpt.ts'
import { decideOnTools } from '../../mcp/decide-tools.ts'
import { codeOf, describeWaiting, listNames, oneLine, waitingOf } from '../../mcp/waiting-tools.ts'
import {
  type CommandTransaction,
  noteCommand,
  privateConversation,
  reply,
  replyAlone,
  replyPrivately,
} from './command.ts'

/** Characters of what a server says of itself, and of why it is away. */
const mostOfTitle = 100
const mostOfNote = 500

const states = { approve: 'approved', refuse: 'refused' } as const

/** MCP-01: shows the MCP servers of this conversation's worker; an operator approves or refuses the tools that wait. */
export async function mcp(
  tx: CommandTransaction,
  _text: string,
  [verb, server, code, ...more]: readonly string[],
): Promise<void> {
  const messages = tx.ctx.messages.mcp
  if (verb === undefined) return replyPrivately(tx, { text: await describe(tx) })
  if (verb !== 'approve' && verb !== 'refuse')
    return server === undefined ? showOne(tx, verb) : replyAlone(tx, messages.usage)
  if (!may(tx.caller, 'approve_tools')) return replyAlone(tx, messages.operatorsOnly)
  if (server === undefined || code === undefined || more.length > 0)
    return replyAlone(tx, messages.usage)
  const { worker } = tx.session
  const by = tx.caller.id
  const decided = await decideOnTools(tx, { worker, server, code, state: states[verb], by })
  if (decided === 'changed') return replyAlone(tx, messages.changed)
  tx.effects.toolsDue()
  await noteCommand(tx, `/mcp ${verb} ${server} ${code}`)
  const names = listNames(decided.map(shownName))
  await reply(tx, verb === 'approve' ? messages.approved({ names }) : messages.refused({ names }))
}

async function describe(tx: CommandTransaction): Promise<string> {
  const { ctx, db, session, caller } = tx
  const servers = await findServers(db, session.worker)
  if (servers.length === 0) return ctx.messages.mcp.none
  const offered = await findOffered(db, session.worker)
  const parts = await Promise.all(
    distinct(servers).map(async (server) => {
      const own = offered.filter((tool) => tool.server === server.server)
      const waiting = waitingOf(own, server)
      const line = describeServer(tx, server, own)
      if (waiting.length === 0 || !may(caller, 'approve_tools')) return line
      const lines = await describeWaiting(db, ctx.messages, waiting)
      const how = ctx.messages.mcp.howToAnswer({ server: server.server, code: codeOf(waiting) })
      return [line, ...lines, how].join('\n')
    }),
  )
  return parts.join('\n')
}

/** Shows the names of a server's tools, or all that a tool says of itself, which is what a model is told of it. */
async function showOne(tx: CommandTransaction, name: string): Promise<void> {
  const { mcp: words } = tx.ctx.messages
  const offered = await findOffered(tx.db, tx.session.worker)
  const own = offered.filter(({ server }) => server === name)
  const found = offered.filter((tool) => shownName(tool) === name)
  if (own.length === 0 && found.length === 0) return replyAlone(tx, words.unknown)
  const text =
    found.length > 0
      ? found.map(wholeOf).join('\n\n')
      : own.map((tool) => `${shownName(tool)} (${tool.state})`).join('\n')
  const place = await privateConversation(tx)
  const file = { about: words.whole({ name }), name: `${name}.txt` }
  const quoted = place === undefined ? {} : await quoteOutput(tx, place, text, file)
  await replyPrivately(tx, { text: words.whole({ name }), ...quoted })
}

function wholeOf(tool: OfferedTool): string {
  const { server, name, title, state, description, input_schema, annotations, sha256 } = tool
  return [
    `${server} / ${makeVisible(name)}${title === null ? '' : ` (${makeVisible(title)})`}: ${state}`,
    `sha256 ${sha256}`,
    makeVisible(description),
    makeVisible(input_schema),
    annotations,
  ].join('\n')
}

/** One row a server; of several replicas, one to which it is reachable. */
function distinct(servers: readonly McpServerRow[]): readonly McpServerRow[] {
  const sorted = servers.toSorted((a, b) => Number(a.state === 'up') - Number(b.state === 'up'))
  return [...new Map(sorted.map((server) => [server.server, server])).values()]
}

function describeServer(
  { ctx: { messages } }: CommandTransaction,
  { server, state, title, note }: McpServerRow,
  tools: readonly McpToolRow[],
): string {
  const { mcp: words } = messages
  const count = (of: McpToolRow['state']) => tools.filter((tool) => tool.state === of).length
  const counted = {
    approved: count('approved'),
    waiting: count('waiting'),
    refused: count('refused'),
  }
  const isUp = state === 'up'
  return words.server({
    server,
    state: isUp
      ? words.up({ title: oneLine(title, mostOfTitle) })
      : words.away({ why: oneLine(note ?? '', mostOfNote) }),
    tools: isUp ? words.counts(counted) : '',
  })
}

function shownName({ server, name }: McpToolRow): string {
  return mcpToolName(server, name)
}
