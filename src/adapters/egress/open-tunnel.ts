import type { Socket } from 'node:net'
import type { EgressTarget } from '../../rules/web/egress/judge-authority.ts'
import { withinMs } from '../../util/abort.ts'
import { admit, type Egress } from './admit.ts'
import type { ConnectionRecord } from './connection-record.ts'
import { reachHost } from './reach-host.ts'
import { type FirstBytes, receiveHello } from './receive-hello.ts'
import { linger, type Refusal, sendRefusal } from './refusal.ts'
import { relayBytes } from './relay-bytes.ts'

/** A CONNECT request, whose socket is ours from now on. */
export interface ConnectRequest {
  readonly client: Socket
  /** Bytes that came after the request. */
  readonly head: Buffer
  /** `host:port` as it was written. */
  readonly authority: string
}

/** Tunnel to a host whose entry says `http://`: its requests are read by us. */
export interface PlainTunnel {
  readonly target: EgressTarget
  /** Addresses that may be connected to, for as long as the tunnel stands. */
  readonly addresses: readonly string[]
}

/**
 * Carries out a CONNECT (RFC 9110, 9.3.6). What passes is TLS, whose ClientHello names the very host; for an entry with `http://` the
 * socket goes back to `serve`, to be read as requests. Never rejects.
 */
export async function openTunnel(
  egress: Egress,
  { client, head, authority }: ConnectRequest,
  record: ConnectionRecord,
  serve: (tunnel: PlainTunnel) => void,
): Promise<void> {
  const gone = new AbortController()
  client.setTimeout(0)
  client.once('close', () => gone.abort())
  const hello = receiveHello(client, head)
  void hello.reading.then(({ kind }) => kind === 'gone' && gone.abort())
  const refuse = (refusal: Refusal) => {
    hello.stop()
    record.refused(refusal.why)
    sendRefusal(client, refusal)
  }

  const admission = await admit(egress, authority, gone.signal)
  const { target } = admission
  if (target !== undefined) record.name(target)
  if (gone.signal.aborted) return refuse(left)
  if (admission.kind === 'refused') return refuse(admission.refusal)
  if (admission.scheme === 'http') {
    client.unshift(hello.stop())
    client.write(established)
    return serve(admission)
  }

  const reached = await reachHost(egress, admission, gone.signal)
  if (reached.kind === 'refused') return refuse(gone.signal.aborted ? left : reached.refusal)
  const { socket: upstream } = reached
  record.connected(upstream)
  client.write(established)
  const first = await withinMs(hello.reading, egress.limits.helloMs, { kind: 'late' } as const)
  const bytes = hello.stop()
  const why = helloProblem(first, admission.target)
  if (why !== undefined) {
    upstream.destroy()
    record.refused(why)
    return sendHelloRefusal(client, bytes, why)
  }
  upstream.write(bytes)
  record.ended(await relayBytes(client, upstream, egress.limits, bytes.length))
}

const established = 'HTTP/1.1 200 Connection Established\r\n\r\n'

const left: Refusal = { status: 400, why: 'the program ended the connection first' }

/** Why these first bytes may not go to the host. */
function helloProblem(
  first: FirstBytes | { readonly kind: 'late' },
  { host, isAddress }: EgressTarget,
): string | undefined {
  if (first.kind === 'late') return 'no ClientHello came in time'
  if (first.kind === 'gone') return left.why
  if (first.kind === 'refused') return first.why
  const { serverName } = first
  // Names alone may be asked for (RFC 6066, 3), so that an address comes without.
  if (serverName === undefined) return isAddress ? undefined : 'the ClientHello names no server'
  const isSame = serverName.toLowerCase().replace(/\.$/, '') === host
  return isSame ? undefined : `the ClientHello asks for ${serverName}`
}

const handshakeRecord = 22

/** Tells the reason in the client's own language: an alert to TLS (RFC 8446, 6), or else text. */
function sendHelloRefusal(client: Socket, bytes: Buffer, why: string): void {
  if (bytes[0] === handshakeRecord) {
    if (client.writable) client.end(accessDenied)
    linger(client)
    return
  }
  const advice =
    'Only TLS passes here; requests without it pass to hosts that an operator lists with http://.'
  sendRefusal(client, { status: 403, why, advice })
}

/** Record of a fatal alert `access_denied`. */
const accessDenied = Buffer.from([21, 3, 1, 0, 2, 2, 49])
