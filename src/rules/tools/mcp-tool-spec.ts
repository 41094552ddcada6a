import { longestToolName, type McpTool } from '../../domain/tool/mcp-tool.ts'
import { isRecord } from '../../util/guards.ts'
import { isDeeperThan } from '../../util/is-deeper-than.ts'
import { namedCharacter } from '../../util/text/percent-decoded.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { toPresumed } from './presumed-tool.ts'
import type { ToolSpec } from './tool-spec.ts'

/** A server's tool, with what the server itself is. */
export interface McpToolFacts {
  readonly server: string
  /** Milliseconds for one call. */
  readonly timeoutMs: number
  readonly tool: McpTool
}

/**
 * REACH-02: the definition of a server's tool; undefined if its name is too long. The server checks the arguments, as only it
 * knows its schema's meaning. Its hints only make the definition stricter (MCP-02).
 */
export function mcpToolSpec({ server, timeoutMs, tool }: McpToolFacts): ToolSpec | undefined {
  const presumed = toPresumed({ server, tool: tool.name, pin: tool.sha256 })
  if (presumed.name.length > longestToolName) return undefined
  const { destructiveHint, openWorldHint, requiresUserInteraction } = tool.annotations
  return {
    ...presumed,
    description: visible(tool.description) || `${visible(tool.name)} of the MCP server ${server}.`,
    shownSchema: shownSchema(tool.inputSchema),
    timeoutMs,
    risk: destructiveHint === true || openWorldHint === true ? 'high' : 'medium',
    ...(requiresUserInteraction === true ? { requiresPerson: true } : {}),
  }
}

/** The arguments as the server describes them. What is no schema of an object is shown as any object. */
function shownSchema(text: string): Readonly<Record<string, unknown>> {
  const schema = tryParseJson(text)
  const isUsable = isRecord(schema) && schema['type'] === 'object' && !isDeeperThan(schema, deepest)
  if (!isUsable) return { type: 'object' }
  const { $schema: _dialect, ...shown } = schema
  return Object.freeze(visibleIn(shown))
}

/** Deeper than the worker's reader lets pass, and less than any recursion minds. */
const deepest = 64

/** The same with every text and name in it as `visible` makes it. */
function visibleIn<T>(value: T): T
function visibleIn(value: unknown): unknown {
  if (typeof value === 'string') return visible(value)
  if (Array.isArray(value)) return value.map((item) => visibleIn(item))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [visible(name), visibleIn(item)]),
  )
}

/** Characters that a person cannot see are not shown to a model either: they could hold instructions (MCP-08). */
function visible(text: string): string {
  return text.replaceAll(unseen, namedCharacter)
}

const unseen = /(?![\t\n])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
