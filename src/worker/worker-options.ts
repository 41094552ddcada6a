import type { KeyObject } from 'node:crypto'
import type { Bus } from '../ports/bus.ts'
import type { Observer } from '../ports/observer.ts'
import type { Queue } from '../ports/queue.ts'
import type { BoxSpec, SandboxDriver } from '../ports/sandbox.ts'
import type { KnownSecret } from '../rules/output/create-redactor.ts'
import type { CompiledFilter } from '../rules/output/filters/compile-filters.ts'
import type { SecretShape } from '../rules/output/secret-shapes.ts'
import type { ToolSpec } from '../rules/tools/tool-spec.ts'
import type { Log } from '../util/log.ts'
import type { McpServerOptions, OpenEgress } from './mcp/mcp-options.ts'
import type { RetryLimits } from './retry-limits.ts'
import type { WorkerTool } from './worker-tool.ts'

/** Mounts of a box besides its workspace. */
export interface BoxMounts extends Omit<BoxSpec, 'key' | 'workspace'> {
  /** Finds further paths to mask, whenever a box starts. */
  readonly findMasked?: () => readonly string[]
}

export interface WorkerLimits {
  /** Number of concurrent calls. */
  readonly concurrency: number
  /** BASH-04: bytes of each stream that a box keeps. */
  readonly maxStreamBytes: number
  /** Maximum number of entries that `diagnostics` returns. */
  readonly maxDiagnostics: number
  /** UTF-8 bytes of a text in a result; longer ones are reduced to head and tail. */
  readonly maxOutputBytes: number
  readonly idleTimeoutMs: number
  readonly maxBoxes: number
  /** Time in which a box must start; 60 s by default. */
  readonly startTimeoutMs?: number
  /** Time for which running calls may continue after the worker was told to stop. */
  readonly graceMs: number
  /** ERR-03: retry limits; no retries by default. */
  readonly retries?: RetryLimits
}

/** Options of a worker, which has no database. */
export interface WorkerOptions {
  /** Name of the worker's queue, shared by its replicas together with journal and workspaces. */
  readonly name: string
  readonly queue: Queue
  readonly bus: Bus
  readonly driver: SandboxDriver
  /**
   * Returns the host directory of a workspace, which the worker creates. Called once with `{workspace}` to get the
   * pattern of the path.
   */
  readonly workspaceFor: (workspaceId: string) => string
  /** Further host paths that boxes see or must not see. */
  readonly mounts: BoxMounts
  /** Mounts of a second box in each session for programs; absent if one box serves all (BASH-10). */
  readonly commandMounts?: BoxMounts
  /** True if `commandMounts` include a network; jobs not signed for one are then refused (BASH-06). */
  readonly commandsHaveNetwork?: boolean
  /** Additional environment of commands, already checked for credentials. */
  readonly env: Readonly<Record<string, string>>
  /** Public keys of trusted agents, by key id. */
  readonly verifyKeys: ReadonlyMap<string, KeyObject>
  /** Token that enrols replicas under `name` only. */
  readonly token: string
  readonly journalDir: string
  /** Directory of workspace snapshots (BASH-07), which no box can see. */
  readonly snapshotsDir: string
  /** Secrets of this process, redacted from any output. */
  readonly knownSecrets: readonly KnownSecret[]
  readonly extraSecretShapes?: readonly SecretShape[]
  /** True to append a line to an output with redacted secrets. */
  readonly warnOfSecrets: boolean
  /** Filters of command output (OUT-02); none by default. */
  readonly filters?: readonly CompiledFilter[]
  /** Tools of the worker; the built-in ones by default. */
  readonly tools?: readonly ToolSpec[]
  /** Tools that run in this process rather than in a box, by name. */
  readonly workerTools?: ReadonlyMap<string, WorkerTool>
  /** REACH-02: MCP servers; none by default. */
  readonly mcpServers?: readonly McpServerOptions[]
  /** MCP-04: opens the way out of a server's box. */
  readonly openEgress?: OpenEgress
  /** Version of the product, as servers are told. */
  readonly version?: string
  readonly limits: WorkerLimits
  /** Returns Unix milliseconds. */
  readonly now: () => number
  readonly observer: Observer
  readonly log: Log
  /** Milliseconds between two heartbeats; 5,000 by default. */
  readonly helloEveryMs?: number
}
