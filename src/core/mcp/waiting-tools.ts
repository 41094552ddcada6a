import type { Db } from '../../db/schema.ts'
import { findApprovedBefore, type McpToolRow } from '../../db/worker/mcp-tools.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { mcpToolName } from '../../domain/tool/mcp-tool.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { sha256 } from '../../util/digest.ts'
import { isRecord } from '../../util/guards.ts'
import { beginningOf, shorten } from '../../util/text/shorten.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** What a list of tools shows: tools, characters of a description, and names of arguments. */
const most = { tools: 10, characters: 300, names: 10, name: 64 }

/** The tools of one server at a worker that wait for an operator. */
export function waitingOf<Row extends McpToolRow>(
  offered: readonly Row[],
  { worker, server }: Pick<McpToolRow, 'worker' | 'server'>,
): readonly Row[] {
  return offered.filter(
    (tool) => tool.worker === worker && tool.server === server && tool.state === 'waiting',
  )
}

/**
 * MCP-01: names exactly these rows. Whoever decides gives it back, so that nothing is approved that was not shown. It holds a
 * random part of each row: whoever chooses the descriptions cannot find others with the same code.
 */
export function codeOf(tools: readonly Pick<McpToolRow, 'sha256' | 'nonce'>[]): string {
  const all = tools.map((tool) => `${tool.sha256} ${tool.nonce}`).sort()
  return sha256(all.join('\n')).slice(0, 12)
}

/** One line for each tool that waits, new or changed and how, of the first ones, and how many more there are. */
export async function describeWaiting(
  db: Db,
  { mcp }: Messages,
  tools: readonly McpToolRow[],
): Promise<readonly string[]> {
  const shown = tools.slice(0, most.tools)
  const lines = await Promise.all(shown.map((tool) => describe(db, mcp, tool)))
  const [first] = tools.slice(most.tools)
  const more =
    first === undefined
      ? []
      : [mcp.more({ server: first.server, count: tools.length - most.tools })]
  return [...lines.map((line) => `• ${line}`), ...more]
}

async function describe(db: Db, mcp: Messages['mcp'], tool: McpToolRow): Promise<string> {
  const name = mcpToolName(tool.server, tool.name)
  const before = await findApprovedBefore(db, tool)
  if (before === undefined) return mcp.isNew({ name, what: excerpt(tool.description) })
  return mcp.hasChanged({ name, how: changesOf(mcp, before, tool).join('; ') })
}

/** The names of the first tools, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const more = names.length - most.names
  const shown = names.slice(0, most.names).join(', ')
  return more > 0 ? `${shown} (+${more})` : shown
}

/** What differs between two descriptions of a tool, in words. */
function changesOf(
  { changes }: Messages['mcp'],
  before: McpToolRow,
  after: McpToolRow,
): readonly string[] {
  const texts =
    before.description === after.description
      ? []
      : [
          changes.description({
            before: excerpt(before.description),
            after: excerpt(after.description),
          }),
        ]
  const [had, has] = [argumentsOf(before), argumentsOf(after)]
  const added = [...has].filter((name) => !had.has(name))
  const removed = [...had].filter((name) => !has.has(name))
  const named = [
    ...(added.length === 0 ? [] : [changes.added({ names: listNames(added) })]),
    ...(removed.length === 0 ? [] : [changes.removed({ names: listNames(removed) })]),
  ]
  const schema =
    named.length > 0 || before.input_schema === after.input_schema ? [] : [changes.schema]
  const hints = before.annotations === after.annotations ? [] : [changes.hints]
  const all = [...texts, ...named, ...schema, ...hints]
  return all.length === 0 ? [changes.program] : all
}

function argumentsOf({ input_schema: text }: McpToolRow): ReadonlySet<string> {
  const schema = tryParseJson(text)
  const properties = isRecord(schema) ? schema['properties'] : undefined
  return new Set(
    isRecord(properties) ? Object.keys(properties).map((name) => oneLine(name, most.name)) : [],
  )
}

function excerpt(text: string): string {
  return oneLine(text, most.characters)
}

/** A server's text as one line of at most so many characters, which hides nothing and looks like no line of ours. */
export function oneLine(text: string, characters: number): string {
  const line = makeVisible(
    beginningOf(text, characters * 2)
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  )
  return shorten(line, characters)
}
