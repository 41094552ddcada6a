import type { Readable, Writable } from 'node:stream'

/** A box to start: which host places it sees and under which names. All paths absolute. */
export interface BoxSpec {
  /** Names the box in logs, labels and environment markers: `<replica>/<conversation>`. */
  readonly key: string
  /** Host directory of the session's workspace; made by the caller. */
  readonly workspace: string
  /** Folders of the workspace, relative to it, that are there; nothing else of it is. Missing: all of it. */
  readonly workspaceParts?: readonly string[]
  /** Further host directories, mounted read-write under the same path. */
  readonly readWrite: readonly string[]
  /** Host places mounted read-only under the same path. */
  readonly readOnly: readonly string[]
  /** Host paths that must stay invisible even inside a mounted place (GATE-12). */
  readonly masked: readonly string[]
  /** Gives the box the network that the driver was made with, where it was (BASH-06). Missing: none. */
  readonly network?: true
}

/** A running executor. Its pipes carry newline-delimited JSON; closing `stdin` ends it and all it started. */
export interface Box {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Process id on the host, with its start time in clock ticks (`/proc/<pid>/stat` field 22; 0 where unknown). */
  readonly pid: number
  readonly startTicks: number
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Ends the box and everything in it at once. */
  kill(): Promise<void>
}

/** BOX-01: one way to start the executor program. */
export interface SandboxDriver {
  readonly name: 'bubblewrap' | 'docker' | 'process'
  /** Whether commands in the box are kept from the host's files and from us; false only for `process` as ourselves. */
  readonly confined: boolean
  /** Whether a box cannot set setuid and setgid bits; where it can, the executor takes them away after each call (THREAT-31). */
  readonly refusesSetuid: boolean
  /** What a person must know of this driver here, in plain words (BOX-04, BOX-08); empty when nothing. */
  readonly warnings: readonly string[]
  /** The path under which the box sees the workspace. */
  boxWorkspace(hostWorkspace: string): string
  start(spec: BoxSpec): Promise<Box>
  /** Ends leftovers of this driver that carry `keyPrefix` in their key (BOX-06, BOX-08); answers how many. */
  sweep(keyPrefix: string): Promise<number>
}
