import type { Tool } from '@modelcontextprotocol/client'
import { longestToolName, type McpTool, mcpToolName } from '../../domain/tool/mcp-tool.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { sha256 } from '../../util/digest.ts'
import { isRecord } from '../../util/guards.ts'
import { isDeeperThan } from '../../util/is-deeper-than.ts'

/** Limits on what a server may offer (MCP-08); a tool that exceeds one is left out and named. */
const most = {
  tools: 128,
  name: 128,
  title: 200,
  description: 8_000,
  schema: 32_000,
  depth: 24,
  rest: 64_000,
}

/** What is used of a server's tools, and one line for each that is not. */
export interface ReadTools {
  readonly tools: readonly McpTool[]
  readonly notes: readonly string[]
}

/**
 * Reads a server's list of tools. `identity` is what else belongs to the pin of each: the launch line or address, and the name
 * and version of the server.
 */
export function readTools(
  server: string,
  offered: readonly Tool[],
  identity: Readonly<Record<string, unknown>>,
): ReadTools {
  const tools: McpTool[] = []
  const notes: string[] = []
  const names = new Set<string>()
  for (const tool of offered) {
    const why = tools.length >= most.tools ? `it offers more than ${most.tools}` : problemOf(tool)
    const name = mcpToolName(server, tool.name)
    if (why !== undefined) notes.push(`${shown(tool.name)}: ${why}`)
    else if (name.length > longestToolName) notes.push(`${shown(tool.name)}: its name is too long`)
    // REG-03: two names that become one are refused, as a rule for one would hold for the other.
    else if (names.has(name)) notes.push(`${shown(tool.name)}: another tool is called ${name} too`)
    else {
      names.add(name)
      tools.push(toTool(tool, identity))
    }
  }
  return { tools, notes: notes.slice(0, 20) }
}

function problemOf({
  name,
  title,
  description = '',
  inputSchema,
  ...rest
}: Tool): string | undefined {
  if (name.trim() === '') return 'it has no name'
  if (name.length > most.name) return `its name has more than ${most.name} characters`
  if ((title ?? '').length > most.title) return `its title has more than ${most.title} characters`
  if (description.length > most.description)
    return `its description has more than ${most.description} characters`
  if (isDeeperThan(inputSchema, most.depth)) return 'its schema is nested too deeply'
  if (isDeeperThan(rest, most.depth)) return 'what it says of itself is nested too deeply'
  if (JSON.stringify(inputSchema).length > most.schema)
    return `its schema has more than ${most.schema} characters`
  // All of this is part of the digest.
  if (JSON.stringify(rest).length > most.rest)
    return `what it says of itself has more than ${most.rest} characters`
  return undefined
}

function toTool(tool: Tool, identity: Readonly<Record<string, unknown>>): McpTool {
  const { name, title, description = '', inputSchema, outputSchema, annotations = {}, _meta } = tool
  const meta = isRecord(_meta) ? _meta : {}
  const pinned = { name, title, description, inputSchema, outputSchema, annotations, meta }
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: canonicalJson(inputSchema),
    annotations: {
      readOnlyHint: annotations.readOnlyHint,
      destructiveHint: annotations.destructiveHint,
      idempotentHint: annotations.idempotentHint,
      openWorldHint: annotations.openWorldHint,
      requiresUserInteraction: asksForPerson(meta) || asksForPerson(annotations),
    },
    sha256: sha256(canonicalJson({ ...identity, ...pinned })),
  }
}

/** The hint has no fixed place yet: servers put it among the annotations or, with a prefix of theirs, into `_meta`. */
function asksForPerson(hints: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(hints).some(
    ([key, value]) => /(?:^|\/)requiresUserInteraction$/u.test(key) && value === true,
  )
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 60)).slice(0, 90)
}
