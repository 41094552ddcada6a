import type { Socket } from 'node:net'
import type { Limits } from './egress-settings.ts'

/**
 * Passes bytes between both sockets until both are closed; the end of one side is passed on, and the other may go on. `begun` bytes
 * have passed already. Returns why it was broken off, if it was.
 */
export async function relayBytes(
  client: Socket,
  upstream: Socket,
  limits: Limits,
  begun: number,
): Promise<string | undefined> {
  let why: string | undefined
  let bytes = begun
  const breakOff = (reason: string) => {
    why ??= reason
    client.destroy()
    upstream.destroy()
  }
  const count = ({ length }: Buffer) => {
    bytes += length
    if (bytes > (limits.bytes ?? Number.POSITIVE_INFINITY)) breakOff(tooMany(limits))
  }
  // Everything passes through the client's socket, so that one clock knows both directions.
  client.setTimeout(limits.idleMs)
  client.on('timeout', () => breakOff(`nothing was sent for ${client.timeout} ms`))
  const pass = (from: Socket, to: Socket, name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    from.on('end', () => client.setTimeout(Math.min(limits.halfOpenMs, limits.idleMs)))
    from.on('close', () => {
      if (!from.readableEnded || !from.writableFinished) breakOff(`${name} broke off`)
      resolve()
    })
    from.on('data', count).pipe(to)
    // What was closed before has no event left.
    if (from.closed) resolve()
    return promise
  }
  const both = [pass(client, upstream, 'the program'), pass(upstream, client, 'the host')]
  if (client.destroyed) breakOff('the program broke off')
  if (upstream.destroyed) breakOff('the host broke off')
  await Promise.all(both)
  return why
}

/** Reason for the end of a connection that moved too much. */
export function tooMany({ bytes }: Limits): string {
  return `more than ${bytes} bytes were sent`
}
