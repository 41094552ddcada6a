/** MCP-01: a tool as its server describes it. All texts are untrusted. */
export interface McpTool {
  /** The server's own name for it. */
  readonly name: string
  readonly title?: string | undefined
  readonly description: string
  /** JSON Schema of the arguments, as canonical JSON. */
  readonly inputSchema: string
  readonly annotations: McpAnnotations
  /** Digest of all that people and models read of it, and of what runs it. */
  readonly sha256: string
}

/** MCP-02: hints of a server about a tool. They may only make rules stricter. */
export interface McpAnnotations {
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
  /** Every call needs a person. */
  readonly requiresUserInteraction?: boolean | undefined
}

/** A server and what it offers at the moment. */
export interface McpServerState {
  readonly server: string
  /** Name and version that it gives itself. */
  readonly title: string
  /** Its command line or address, without secrets. */
  readonly launch: string
  readonly state: 'up' | 'away'
  /** Why it is away, or what it offers and is not used. */
  readonly note?: string | undefined
  /** Milliseconds for one call. */
  readonly timeoutMs: number
  /** Empty while it is away. */
  readonly tools: readonly McpTool[]
}

/** REG-03: the name of a server's tool for models, rules and people: `{server}_{tool}`, of the characters that names may hold. */
export function mcpToolName(server: string, tool: string): string {
  return sanitised(`${server}_${tool}`)
}

/** Longest name that a tool may have. */
export const longestToolName = 64

/** A name with `_` in place of what a tool's name may not hold. */
export function sanitised(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, '_')
}
