import type { ExecutorRequest } from '../domain/executor-protocol.ts'

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
  /** Whether every process of our user that we can see belongs to a box. */
  readonly isAlone: boolean
  /** BASH-06, BASH-10: what the box cannot prevent and `bash` therefore refuses by the look of the command. */
  readonly refuses: ReadonlySet<'network' | 'outside'>
  /** Background jobs that run now. */
  readonly jobs: Set<string>
}

/** One call in flight. */
export interface Call {
  readonly request: CallRequest
  readonly surroundings: Surroundings
  /** Aborted with reason `timeout` or `cancelled`. */
  readonly signal: AbortSignal
  started(pid: number): void
  progress(text: string): void
}
