import { Redis, type RedisOptions } from 'ioredis'
import { pauseAfterMs } from './backoff.ts'
import type { RedisAddress } from './redis-address.ts'

/** Time for a graceful close of a connection before it is dropped, in milliseconds. */
const disconnectMs = 200
/** Minimum interval between reconnections away from a server that became a replica, in milliseconds. */
const leaveReplicaMs = 10_000

export interface RedisClientOptions {
  readonly address: RedisAddress
  /** Name of the connection in `CLIENT LIST`. */
  readonly name: string
  /** Time-out of the handshake, in milliseconds. */
  readonly answerMs: number
  /** What happens to pending commands when the connection breaks: sent again, or refused at once. */
  readonly pending: 'resend' | 'refuse'
}

/** Creates a client, not connected yet, that reconnects by itself until it is closed. */
export function createRedisClient({ address, name, answerMs, pending }: RedisClientOptions): Redis {
  const client = new Redis({
    ...plainOptions(address, answerMs),
    db: address.db,
    ...(address.username !== undefined && { username: address.username }),
    ...(address.password !== undefined && { password: address.password }),
    connectionName: name,
    retryStrategy: pauseAfterMs,
    maxRetriesPerRequest: pending === 'resend' ? null : 0,
    reconnectOnError: leaveReplicas(),
  })
  dropSilentGreeting(client, answerMs)
  return client
}

/** Options of every connection, including unauthenticated ones. */
export function plainOptions({ host, port, tls }: RedisAddress, answerMs: number): RedisOptions {
  return {
    host,
    port,
    ...(tls && { tls }),
    lazyConnect: true,
    connectTimeout: answerMs,
    disconnectTimeout: disconnectMs,
    keepAlive: 10_000,
    disableClientInfo: true,
    // ioredis resubscribes without handling a rejection: a connection that breaks at that moment would end the process.
    autoResubscribe: false,
  }
}

/** Closes a connection in any state; pending commands are refused. */
export async function endRedisClient(client: Redis): Promise<void> {
  if (client.status === 'end') return
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  // If told to disconnect between two attempts, ioredis cancels the next one without emitting `end`.
  if (client.status === 'reconnecting') client.connect().catch(() => undefined)
  client.disconnect()
  await ended
}

/**
 * Drops a connection whose handshake takes too long: the system accepts connections for a frozen server, and ioredis would wait
 * forever.
 */
function dropSilentGreeting(client: Redis, answerMs: number): void {
  let timer: NodeJS.Timeout | undefined
  client.on('connect', () => {
    clearTimeout(timer)
    timer = setTimeout(() => client.disconnect(true), answerMs)
  })
  for (const event of ['ready', 'close']) client.on(event, () => clearTimeout(timer))
  // Without a listener ioredis prints errors to the console.
  client.on('error', () => undefined)
}

function leaveReplicas(): (error: Error) => boolean {
  let last = Number.NEGATIVE_INFINITY
  return (error) => {
    if (!error.message.includes('READONLY') || performance.now() - last < leaveReplicaMs) {
      return false
    }
    last = performance.now()
    return true
  }
}
