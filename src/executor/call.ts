import type { ExecutorRequest } from '../domain/tool/executor-protocol.ts'
import type { Printing } from './bash/progress.ts'

export type CallRequest = Extract<ExecutorRequest, { type: 'call' }>

/** What the executor knows of the place it runs in, read once at its start. */
export interface Surroundings {
  /** The box's key; commands carry it so that a driver can find what a killed box left behind. */
  readonly boxKey: string
  /** This executor alone: two with one key may live side by side for a moment. */
  readonly executorId: string
  /** `PATH` for commands and for finding bash and ripgrep. */
  readonly path: string
  readonly lang: string
  readonly timeZone: string | undefined
  /** A ripgrep binary; undefined: look in `path`. */
  readonly ripgrep: string | undefined
  /** Whose processes can be seen: a box's alone, those of a user who runs nothing but boxes, or anybody's. */
  readonly alone: 'box' | 'user' | undefined
  /** THREAT-31: whether commands can set setuid bits here, which are then taken away after each call. */
  readonly clearsSetuid: boolean
  /** How many processes the box may have where the executor itself has to see to it. */
  readonly mostProcesses: number | undefined
  /** Whether commands have a network, as far as the driver knows (BASH-11). */
  readonly hasNetwork: boolean
  /** BASH-06, BASH-10: what the box cannot prevent and `bash` therefore refuses by the look of the command. */
  readonly refuses: ReadonlySet<'network' | 'outside'>
  /** Markers of the commands that run now; of background ones, until nothing of theirs is left. */
  readonly markers: Set<string>
}

/** One call in flight. */
export interface Call {
  readonly request: CallRequest
  readonly surroundings: Surroundings
  /** Aborted with reason `timeout` or `cancelled`. */
  readonly signal: AbortSignal
  started(pid: number): void
  progress(printing: Printing): void
}
