import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { EgressTarget } from '../../rules/web/egress/judge-authority.ts'
import { addressAttemptMs, pinnedTo } from '../../util/look-up-host.ts'
import type { Egress } from './admit.ts'
import { type Refusal, toRefusal } from './refusal.ts'

export type Reached =
  | { readonly kind: 'reached'; readonly socket: Socket }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** Connects to one of the addresses that were checked, whatever the name resolves to by now. Never rejects. */
export async function reachHost(
  { limits }: Egress,
  { target, addresses }: { readonly target: EgressTarget; readonly addresses: readonly string[] },
  signal: AbortSignal,
): Promise<Reached> {
  const { host, port } = target
  const deadline = AbortSignal.timeout(limits.connectMs)
  const socket = connect({
    host,
    port,
    lookup: pinnedTo(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressAttemptMs,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
  })
  // What comes after the connection has been given up; what breaks later shows in `close`.
  socket.on('error', () => undefined)
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, deadline]) })
    return { kind: 'reached', socket }
  } catch (error) {
    socket.destroy()
    return { kind: 'refused', refusal: toRefusal(error, host, 'request', deadline) }
  }
}
