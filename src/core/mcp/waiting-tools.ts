import type { Db } from '../../db/schema.ts'
import { findApprovedBefore, type McpToolRow } from '../../db/worker/mcp-tools.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { mcpToolName } from '../../domain/tool/mcp-tool.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { sha256 } from '../../util/digest.ts'
import { isRecord } from '../../util/guards.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** Characters of a description that a list of tools shows. */
const mostCharacters = 300

/**
 * MCP-01: names exactly these descriptions. Whoever decides gives it back, so that nothing is approved that was not shown.
 */
export function codeOf(tools: readonly Pick<McpToolRow, 'sha256'>[]): string {
  const all = tools.map((tool) => tool.sha256).sort()
  return sha256(all.join('\n')).slice(0, 8)
}

/** One line for each tool that waits: new, or changed and how. */
export async function describeWaiting(
  db: Db,
  { mcp }: Messages,
  tools: readonly McpToolRow[],
): Promise<readonly string[]> {
  return Promise.all(
    tools.map(async (tool) => {
      const name = mcpToolName(tool.server, tool.name)
      const before = await findApprovedBefore(db, tool)
      if (before === undefined) return mcp.isNew({ name, what: excerpt(tool.description) })
      return mcp.hasChanged({ name, how: changesOf(mcp, before, tool).join('; ') })
    }),
  )
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
    ...(added.length === 0 ? [] : [changes.added({ names: added.join(', ') })]),
    ...(removed.length === 0 ? [] : [changes.removed({ names: removed.join(', ') })]),
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
    isRecord(properties) ? Object.keys(properties).map((name) => makeVisible(name)) : [],
  )
}

function excerpt(text: string): string {
  const line = makeVisible(text.replaceAll(/\s+/gu, ' ').trim())
  return line.length <= mostCharacters ? line : `${line.slice(0, mostCharacters - 1)}…`
}
