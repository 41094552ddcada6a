import type { Log } from '../../../../util/log.ts'
import type { Handed, Taken } from './take-envelope.ts'

export interface ReceiveOptions {
  readonly take: (handed: Handed) => Promise<Taken>
  readonly log: Log
  /** Ends it. */
  readonly signal: AbortSignal
  /** Told each time that events begin to come. */
  readonly onReceiving: () => void
  /** Told in plain words why they do not. */
  readonly onTrouble: (why: string) => void
}
