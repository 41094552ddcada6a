import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { McpServerOptions } from '../../worker/mcp/mcp-options.ts'

type Section = Config['mcp'][string]

/** REACH-02: the configured MCP servers that are switched on. Those over stdio have a directory of their own in the data directory. */
export function mcpServersOf(config: Config): readonly McpServerOptions[] {
  return Object.entries(config.mcp).flatMap(([name, section]) =>
    section.enabled ? [toServer(config, name, section)] : [],
  )
}

function toServer(config: Config, name: string, section: Section): McpServerOptions {
  const { command, args, url, read, write, hosts, timeoutMs } = section
  const common = { name, timeoutMs } as const
  if (url !== undefined) {
    const token = section.tokenVariable && config.secrets.mcp[section.tokenVariable]?.reveal()
    return { ...common, transport: 'http', url, token: token || undefined }
  }
  const home = join(config.dataDir, 'mcp', config.worker.name, name)
  return {
    ...common,
    transport: 'stdio',
    command: [command ?? '', ...args],
    env: environmentOf(config, section),
    home,
    readOnly: read,
    readWrite: write,
    hosts,
  }
}

/** Only what the section names; a variable that is not set is left out. */
function environmentOf({ secrets }: Config, { environment }: Section): Record<string, string> {
  return Object.fromEntries(
    environment.flatMap((variable) => {
      const value = secrets.mcp[variable]
      return value === undefined ? [] : [[variable, value.reveal()]]
    }),
  )
}
