import type { Readable, Writable } from 'node:stream'

/** Box to start: the host paths that it sees and their names in it. All paths are absolute. */
export interface BoxSpec {
  /** Name of the box in logs, labels and environment markers: `<replica>/<conversation>`. */
  readonly key: string
  /** Host directory of the session's workspace, created by the caller. */
  readonly workspace: string
  /** Existing folders of the workspace, relative to it, that are visible; nothing else is. Absent: all of it. */
  readonly workspaceParts?: readonly string[]
  /** Further host directories, mounted read-write at the same path. */
  readonly readWrite: readonly string[]
  /** Host paths mounted read-only at the same path. */
  readonly readOnly: readonly string[]
  /** Host paths that stay hidden even inside a mounted directory (GATE-12). */
  readonly masked: readonly string[]
  /** Attaches the network that the driver was created with, if any (BASH-06). Absent: no network. */
  readonly network?: true
  /** Runs in place of the executor. */
  readonly program?: BoxProgram
}

/** Directory in every box that holds the executor and the programs beside it. */
export const boxExecutor = '/opt/countersign/executor'

/** A program that runs alone in a box, such as an MCP server; the box's pipes are its standard input and output. */
export interface BoxProgram {
  /** The program and its arguments. `node` is the box's own Node. */
  readonly command: readonly string[]
  /** Added to the environment of every box. */
  readonly env: Readonly<Record<string, string>>
}

/** Running executor, or the program in its place. Its pipes carry newline-delimited JSON; closing `stdin` ends it and everything it started. */
export interface Box {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Process id on the host, and its start time in clock ticks (`/proc/<pid>/stat` field 22; 0 if unknown). */
  readonly pid: number
  readonly startTicks: number
  /** Settles when the process has exited; never rejects. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Kills the box and everything in it. */
  kill(): Promise<void>
}

/** BOX-01: way to start the executor program. */
export interface SandboxDriver {
  readonly name: 'bubblewrap' | 'docker' | 'process'
  /** True if commands in the box cannot reach the host's files and this process; false only for `process` under our own user. */
  readonly confined: boolean
  /** True if a box cannot set setuid and setgid bits; otherwise the executor clears them after each call (THREAT-31). */
  readonly refusesSetuid: boolean
  /** Warnings about this driver for people (BOX-04, BOX-08). */
  readonly warnings: readonly string[]
  /** Returns the path of the workspace as the box sees it. */
  boxWorkspace(hostWorkspace: string): string
  start(spec: BoxSpec): Promise<Box>
  /** Kills leftover boxes whose key starts with `keyPrefix` (BOX-06, BOX-08); returns their number. */
  sweep(keyPrefix: string): Promise<number>
}
