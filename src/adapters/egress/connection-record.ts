import type { Socket } from 'node:net'
import type { EgressEvent } from '../../ports/egress.ts'
import type { EgressTarget } from '../../rules/web/egress/judge-authority.ts'

const mostHostCharacters = 255

/** Gathers what the event of one connection tells, and emits it once. */
export class ConnectionRecord {
  readonly #observe: (event: EgressEvent) => void
  readonly #since = performance.now()
  #named: Pick<EgressEvent, 'host' | 'port'>
  #upstream: { readonly socket: Socket; readonly address: string | undefined } | undefined
  #isClosed = false

  /** `authority` is what the program wrote, which may be anything. */
  constructor(authority: string, observe: (event: EgressEvent) => void) {
    const [, host = authority, port = '0'] = /^(.*):(\d{1,5})$/s.exec(authority) ?? []
    const shown = host.slice(0, mostHostCharacters).replaceAll(/[^\x21-\x7e]/g, '?')
    this.#named = { host: shown, port: Number(port) }
    this.#observe = observe
  }

  name({ host, port }: EgressTarget): void {
    this.#named = { host, port }
  }

  connected(socket: Socket): void {
    // A closed connection no longer has an address.
    this.#upstream = { socket, address: socket.remoteAddress }
  }

  refused(why: string): void {
    this.#emit('refused', why)
  }

  ended(why?: string): void {
    this.#emit('allowed', why)
  }

  #emit(outcome: EgressEvent['outcome'], why: string | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const { socket, address } = this.#upstream ?? {}
    this.#observe({
      ...this.#named,
      ...(address === undefined ? {} : { address }),
      outcome,
      ...(why === undefined ? {} : { why }),
      bytesUp: socket?.bytesWritten ?? 0,
      bytesDown: socket?.bytesRead ?? 0,
      ms: Math.round(performance.now() - this.#since),
    })
  }
}
