import type { EgressOptions, EgressProxy } from '../../ports/egress.ts'
import type { SandboxDriver } from '../../ports/sandbox.ts'
import type { Log } from '../../util/log.ts'

interface Common {
  readonly name: string
  /** Milliseconds for one call. */
  readonly timeoutMs: number
}

export interface StdioServerOptions extends Common {
  readonly transport: 'stdio'
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Host directory that is its workspace and home. */
  readonly home: string
  readonly readOnly: readonly string[]
  readonly readWrite: readonly string[]
  /** Hosts that it may reach through the proxy; empty: it has no network. */
  readonly hosts: readonly string[]
}

export interface HttpServerOptions extends Common {
  readonly transport: 'http'
  readonly url: string
  /** Sent as a bearer token. */
  readonly token: string | undefined
}

/** A configured server. */
export type McpServerOptions = StdioServerOptions | HttpServerOptions

export type OpenEgress = (options: EgressOptions) => Promise<EgressProxy>

/** What all servers of a worker share. */
export interface McpSurroundings {
  readonly driver: SandboxDriver
  /** Prefix of the keys of boxes, by which those of a dead worker are found. */
  readonly replica: string
  readonly version: string
  readonly log: Log
  /** Opens the only way out of a box; absent: servers that name hosts do not start. */
  readonly openEgress?: OpenEgress | undefined
  /** Milliseconds to wait before the first and at most before any later attempt to reach a server again; 1 s and 60 s. */
  readonly backoffMs?: { readonly first: number; readonly most: number }
}
