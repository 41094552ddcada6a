import type { ExecutorRequest } from '../domain/tool/executor-protocol.ts'
import type { Printing } from './bash/progress.ts'

export type CallRequest = Extract<ExecutorRequest, { type: 'call' }>

/** Environment of the executor, read once at its start. */
export interface Surroundings {
  /** Key of the box, passed to commands so that a driver can find leftovers of a killed box. */
  readonly boxKey: string
  /** Id of this executor; two with the same key may briefly coexist. */
  readonly executorId: string
  /** `PATH` for commands, and for finding bash and ripgrep. */
  readonly path: string
  readonly lang: string
  readonly timeZone: string | undefined
  /** Path of ripgrep; undefined to search `path`. */
  readonly ripgrep: string | undefined
  /** Owner of the visible processes: only the box, a user who runs only boxes, or anybody (undefined). */
  readonly alone: 'box' | 'user' | undefined
  /** THREAT-31: true if commands can set setuid bits, which are then cleared after each call. */
  readonly clearsSetuid: boolean
  /** Process limit that the executor itself enforces; undefined if it need not. */
  readonly mostProcesses: number | undefined
  /** True if commands have a network, as far as the driver knows (BASH-11). */
  readonly hasNetwork: boolean
  /** BASH-06, BASH-10: restrictions that the box cannot enforce, so that `bash` refuses matching commands. */
  readonly refuses: ReadonlySet<'network' | 'outside'>
  /** Markers of running commands, and of background commands with live processes. */
  readonly markers: Set<string>
}

/** Call in progress. */
export interface Call {
  readonly request: CallRequest
  readonly surroundings: Surroundings
  /** Aborted with the reason `timeout` or `cancelled`. */
  readonly signal: AbortSignal
  started(pid: number): void
  progress(printing: Printing): void
}
