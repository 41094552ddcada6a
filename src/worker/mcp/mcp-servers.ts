import type { McpServerState } from '../../domain/tool/mcp-tool.ts'
import { mcpToolSpec } from '../../rules/tools/mcp-tool-spec.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import type { WorkerTool } from '../worker-tool.ts'
import type { McpServerOptions, McpSurroundings } from './mcp-options.ts'
import { McpServer } from './mcp-server.ts'

/** REACH-02: the MCP servers of a worker. Disposing ends them. */
export interface McpServers extends AsyncDisposable {
  /** The tool with this name, if a server that is reachable has it. */
  find(name: string): { readonly spec: ToolSpec; readonly run: WorkerTool } | undefined
}

/** Starts all servers; `onChange` is told of each whenever something about it changes. */
export function openMcpServers(
  servers: readonly McpServerOptions[],
  surroundings: McpSurroundings,
  onChange: (state: McpServerState) => void,
): McpServers {
  const open = servers.map((options) => ({
    options,
    server: new McpServer(options, surroundings, onChange),
  }))
  return {
    find: (name) => {
      // REG-03: a name that two servers have is used by neither.
      const [found, ...others] = open.filter(({ server }) => server.find(name) !== undefined)
      const tool = found?.server.find(name)
      if (found === undefined || tool === undefined || others.length > 0) return undefined
      const { name: server, timeoutMs } = found.options
      const spec = mcpToolSpec({ server, timeoutMs, tool })
      if (spec === undefined) return undefined
      const run: WorkerTool = (args, call) => found.server.call(name, call.pin ?? '', args, call)
      return { spec, run }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(open.map(({ server }) => server[Symbol.asyncDispose]()))
    },
  }
}
