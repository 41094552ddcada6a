import { z } from 'zod'
import { mcpToolName } from '../../domain/tool/mcp-tool.ts'
import { isMcpName, splitName } from './mcp-names.ts'
import { findTool, toToolName } from './registry.ts'
import type { ToolOrigin, ToolSpec } from './tool-spec.ts'

/** The names of the configured servers; `any`: a name such as `mcp__github__create_issue` is enough. */
export type KnownServers = readonly string[] | 'any'

/** Finds the definition that a call of this name is judged by, without asking the server. */
export type FindTool = (name: string) => ToolSpec | undefined

/**
 * A lookup for commands that judge calls without running them: built-in tools, and what a name tells of the tools of servers. Their
 * schema, annotations and digest are not known: any arguments fit.
 */
export function toolFinder(servers: KnownServers): FindTool {
  return (name) => findTool(toToolName(name)) ?? presumedTool(name, servers)
}

/** MCP-03: a tool of a server, by its name alone; undefined if no server fits, or more than one. */
export function presumedTool(name: string, servers: KnownServers): ToolSpec | undefined {
  const origin = isMcpName(name) ? originOf(name, servers) : byPrefix(name, servers)
  return origin === undefined ? undefined : toPresumed(origin)
}

/** The definition of a server's tool as far as its names tell. */
export function toPresumed(origin: ToolOrigin): ToolSpec {
  return {
    name: mcpToolName(origin.server, origin.tool),
    origin,
    description: '',
    kind: 'other',
    schema: z.looseObject({}),
    idempotent: false,
    cacheable: false,
    mutating: true,
    needsNetwork: false,
    runsIn: 'worker',
    timeoutMs: 30_000,
    ruledBy: { kind: 'arguments' },
  }
}

function originOf(name: string, servers: KnownServers): ToolOrigin | undefined {
  const { server, tool } = splitName(name)
  if (!isName(server) || tool === undefined || !isName(tool)) return undefined
  return servers === 'any' || servers.includes(server) ? { server, tool } : undefined
}

function byPrefix(name: string, servers: KnownServers): ToolOrigin | undefined {
  if (servers === 'any') return undefined
  const fitting = servers.flatMap((server): readonly ToolOrigin[] => {
    const start = mcpToolName(server, '')
    const tool = name.slice(start.length)
    return name.startsWith(start) && isName(tool) ? [{ server, tool }] : []
  })
  return fitting.length === 1 ? fitting[0] : undefined
}

function isName(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text)
}
