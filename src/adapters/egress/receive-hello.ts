import type { Socket } from 'node:net'
import {
  type HelloReading,
  mostHelloBytes,
  readClientHello,
} from '../../rules/web/egress/client-hello.ts'

/** What the first bytes of a tunnel are; `gone` if the program ended before that was known. */
export type FirstBytes = Exclude<HelloReading, { kind: 'more' }> | { readonly kind: 'gone' }

/** Reads the first bytes of a tunnel. */
export interface HelloReceiver {
  /** Settles when the ClientHello is whole, or cannot become one. */
  readonly reading: Promise<FirstBytes>
  /** Pauses the socket, and returns all that was received. */
  stop(): Buffer
}

/** Reads from `client` at once, since only a socket that is read tells that the other side has ended. `head` came before. */
export function receiveHello(client: Socket, head: Buffer): HelloReceiver {
  const { promise: reading, resolve } = Promise.withResolvers<FirstBytes>()
  // Filled as bytes come: a client that sends one at a time does not cause copies of all.
  const kept = Buffer.alloc(mostHelloBytes)
  let length = 0
  let rest: Buffer = Buffer.alloc(0)
  const take = (chunk: Buffer) => {
    const used = chunk.copy(kept, length)
    length += used
    rest = chunk.subarray(used)
    const found = readClientHello(kept.subarray(0, length))
    if (found.kind !== 'more') finish(found)
  }
  const leave = () => finish({ kind: 'gone' })
  const finish = (found: FirstBytes) => {
    client.pause().off('data', take).off('end', leave).off('close', leave)
    resolve(found)
  }
  client.on('data', take).on('end', leave).on('close', leave)
  if (head.length > 0) take(head)
  const stop = () => {
    leave()
    return Buffer.concat([kept.subarray(0, length), rest])
  }
  return { reading, stop }
}
