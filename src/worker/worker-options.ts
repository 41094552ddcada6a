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
import type { RetryLimits } from './retry-limits.ts'
import type { WorkerTool } from './worker-tool.ts'

/** What a box is given beside its session's workspace. */
export interface BoxMounts extends Omit<BoxSpec, 'key' | 'workspace'> {
  /** Further masked places, looked up as each box starts. */
  readonly findMasked?: () => readonly string[]
}

export interface WorkerLimits {
  /** Calls at once. */
  readonly concurrency: number
  /** BASH-04: bytes of each stream that a box keeps. */
  readonly maxStreamBytes: number
  /** Entries that `diagnostics` returns at most. */
  readonly maxDiagnostics: number
  /** Of a text that travels in a result, in UTF-8; of a longer one head and tail do. */
  readonly maxOutputBytes: number
  readonly idleTimeoutMs: number
  readonly maxBoxes: number
  /** How long a box may take to start; 60 s when missing. */
  readonly startTimeoutMs?: number
  /** How long running calls may go on after the worker was told to stop. */
  readonly graceMs: number
  /** ERR-03; nothing is tried again when missing. */
  readonly retries?: RetryLimits
}

/** Everything a worker is given. It has no database. */
export interface WorkerOptions {
  /** Names the worker's queue; its replicas share the name, the journal and the workspaces. */
  readonly name: string
  readonly queue: Queue
  readonly bus: Bus
  readonly driver: SandboxDriver
  /** Host directory of a workspace; the worker makes it. Asked once with `{workspace}` for the path's pattern. */
  readonly workspaceFor: (workspaceId: string) => string
  /** Further places of the host that boxes see or must not see. */
  readonly mounts: BoxMounts
  /** Those of a second box of each session, for what starts programs; missing: one box serves all (BASH-10). */
  readonly commandMounts?: BoxMounts
  /** Whether `commandMounts` give a network; a job that was not signed for one is refused then (BASH-06). */
  readonly commandsHaveNetwork?: boolean
  /** Extra environment of commands, already checked for credentials. */
  readonly env: Readonly<Record<string, string>>
  /** Keys of the agents that may sign, by key id. */
  readonly verifyKeys: ReadonlyMap<string, KeyObject>
  /** Enrols replicas under `name`, and under no other. */
  readonly token: string
  readonly journalDir: string
  /** Where snapshots of workspaces are kept (BASH-07); no box sees it. */
  readonly snapshotsDir: string
  /** Secrets that this process holds, to be found in any output. */
  readonly knownSecrets: readonly KnownSecret[]
  readonly extraSecretShapes?: readonly SecretShape[]
  /** Adds a line to an output whose secrets were redacted. */
  readonly warnOfSecrets: boolean
  /** Of what commands print (OUT-02); none when missing. */
  readonly filters?: readonly CompiledFilter[]
  /** Built-in ones when missing. */
  readonly tools?: readonly ToolSpec[]
  /** Tools that run here, beside the boxes, by name. */
  readonly workerTools?: ReadonlyMap<string, WorkerTool>
  readonly limits: WorkerLimits
  /** Unix milliseconds. */
  readonly now: () => number
  readonly observer: Observer
  readonly log: Log
  /** Time between two signs of life; 5,000 when missing. */
  readonly helloEveryMs?: number
}
