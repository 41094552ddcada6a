import { once } from 'node:events'
import { IncomingMessage, type ServerResponse, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { admit, type Egress } from './admit.ts'
import type { ConnectionRecord } from './connection-record.ts'
import type { Limits } from './egress-settings.ts'
import type { PlainTunnel } from './open-tunnel.ts'
import { endToEndHeaders, type PlainTarget } from './plain-request.ts'
import { reachHost } from './reach-host.ts'
import { type Refusal, respondRefusal, toRefusal } from './refusal.ts'
import { tooMany } from './relay-bytes.ts'

/** A request without TLS, and its response. */
export interface PlainExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: PlainTarget
}

/**
 * Passes a request without TLS to its host, by a connection of its own, and the response back. `tunnel` is the one in which it came,
 * whose host was admitted when that was opened. Never rejects.
 */
export async function forwardRequest(
  egress: Egress,
  exchange: PlainExchange,
  record: ConnectionRecord,
  tunnel: PlainTunnel | undefined,
): Promise<void> {
  const { response, target } = exchange
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const refuse = (refusal: Refusal) => {
    record.refused(refusal.why)
    respondRefusal(response, refusal)
  }
  const admission =
    tunnel === undefined
      ? await admit(egress, target.authority, gone.signal, 'http')
      : ({ kind: 'admitted', ...tunnel } as const)
  if (admission.target !== undefined) record.name(admission.target)
  if (admission.kind === 'refused') return refuse(admission.refusal)
  const reached = await reachHost(egress, admission, gone.signal)
  if (reached.kind === 'refused') return refuse(reached.refusal)
  const { socket } = reached
  record.connected(socket)
  gone.signal.addEventListener('abort', () => socket.destroy())
  const broken = limit(socket, exchange.request, egress.limits)
  try {
    await passOn(exchange, socket)
    record.ended(broken.why)
  } catch (error) {
    const failure = toRefusal(error, admission.target.host, 'request')
    record.ended(broken.why ?? failure.why)
    respondRefusal(response, failure)
  } finally {
    socket.destroy()
  }
}

/** Sends the request over `socket` and the response back. Rejects if either breaks off. */
async function passOn({ request, response, target }: PlainExchange, socket: Socket): Promise<void> {
  const isChunked = request.headers['transfer-encoding'] !== undefined
  const sent = startRequest({
    // Node takes it only where no agent is given.
    createConnection: () => socket,
    method: request.method,
    path: target.path,
    headers: [
      ...['Host', target.authority.replace(/:80$/, ''), ...endToEndHeaders(request)],
      ...['Connection', 'close', ...(isChunked ? ['Transfer-Encoding', 'chunked'] : [])],
    ],
  })
  // A host may answer before it has read all; whether it goes well shows in the response.
  void pipeline(request, sent).catch(() => undefined)
  const [answer]: readonly unknown[] = await once(sent, 'response')
  if (!(answer instanceof IncomingMessage)) throw new Error('there is no response')
  response.sendDate = false
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer))
  await pipeline(answer, response)
}

/** Breaks `socket` off once it is idle for too long, or too much has passed; then `why` tells. */
function limit(
  socket: Socket,
  request: IncomingMessage,
  limits: Limits,
): { readonly why: string | undefined } {
  const broken: { why: string | undefined } = { why: undefined }
  const breakOff = (why: string) => {
    broken.why ??= why
    socket.destroy(new Error(why))
  }
  const count = () => {
    const most = limits.bytes ?? Number.POSITIVE_INFINITY
    if (socket.bytesRead + socket.bytesWritten > most) breakOff(tooMany(limits))
  }
  socket.setTimeout(limits.idleMs, () => breakOff(`nothing was sent for ${limits.idleMs} ms`))
  socket.on('data', count)
  request.on('data', count)
  return broken
}
