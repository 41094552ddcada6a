import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createBubblewrapDriver } from '../../../src/adapters/sandbox/bubblewrap/bubblewrap-driver.ts'
import type { McpServerState } from '../../../src/domain/tool/mcp-tool.ts'
import { silentLog } from '../../../src/util/log.ts'
import type { McpServerOptions, OpenEgress } from '../../../src/worker/mcp/mcp-options.ts'
import { McpServer } from '../../../src/worker/mcp/mcp-server.ts'
import { makeSandboxPlace } from '../../adapters/sandbox/fixtures/sandbox-place.ts'

/** A server in a box of its own, with everything that it told. */
export interface OpenServer extends AsyncDisposable {
  readonly server: McpServer
  readonly states: McpServerState[]
  /** Its directory on the host. */
  readonly home: string
  /** Resolves with the first state for which `isIt` holds, from those already told on. */
  until(isIt: (state: McpServerState) => boolean): Promise<McpServerState>
}

type StdioOptions = Extract<McpServerOptions, { transport: 'stdio' }>

/** Packages of this checkout, which a box sees read-only. */
export const packages = join(import.meta.dirname, '../../../node_modules')

export async function openServer(
  command: readonly string[],
  more: Partial<StdioOptions> = {},
  openEgress?: OpenEgress,
): Promise<OpenServer> {
  const place = makeSandboxPlace()
  const driver = await createBubblewrapDriver(place.options)
  const home = join(place.options.workspacesDir, 'server')
  mkdirSync(home, { recursive: true })
  const states: McpServerState[] = []
  const waiting = new Set<() => void>()
  const server = new McpServer(
    {
      ...{ name: 'it', transport: 'stdio', command, home, timeoutMs: 10_000, env: {} },
      ...{ readOnly: [packages], readWrite: [], hosts: [], ...more },
    },
    {
      ...{ driver, replica: `${place.prefix}r1`, version: '0', log: silentLog, openEgress },
      backoffMs: { first: 50, most: 200 },
    },
    (state) => {
      states.push(state)
      for (const look of waiting) look()
    },
  )
  return {
    server,
    states,
    home,
    until: (isIt) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = states.find(isIt)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}
