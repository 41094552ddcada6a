import type { Log } from '../../../../util/log.ts'
import type { Payload, Taken } from './take-envelope.ts'

export interface ReceiveOptions {
  readonly take: (handed: Payload) => Promise<Taken>
  readonly log: Log
  /** Stops receiving. */
  readonly signal: AbortSignal
  /** Called each time that receiving starts. */
  readonly onReceiving: () => void
  /** Called with a description when receiving fails. */
  readonly onFailure: (why: string) => void
}
