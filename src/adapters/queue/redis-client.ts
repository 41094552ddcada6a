import { Redis, type RedisOptions } from 'ioredis'
import { pauseAfterMs } from './backoff.ts'
import type { RedisAddress } from './redis-address.ts'

/** How long a connection that is closed may take to say so before it is dropped. */
const goodbyeMs = 200
/** So often, at most, a server that became a replica is left for the one that now has its name. */
const leaveReplicaMs = 10_000

export interface RedisClientOptions {
  readonly address: RedisAddress
  /** How `CLIENT LIST` shows the connection. */
  readonly name: string
  /** How long Redis may take to greet. */
  readonly answerMs: number
  /** What waits for an answer when the connection breaks: sent again on the next one, or refused at once. */
  readonly pending: 'resend' | 'refuse'
}

/** A connection that is not opened yet and, once it was, comes back by itself for as long as it is not closed. */
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

/** What every connection has, also one that does not say who it is. */
export function plainOptions({ host, port, tls }: RedisAddress, answerMs: number): RedisOptions {
  return {
    host,
    port,
    ...(tls && { tls }),
    lazyConnect: true,
    connectTimeout: answerMs,
    disconnectTimeout: goodbyeMs,
    keepAlive: 10_000,
    disableClientInfo: true,
    // ioredis subscribes again without listening to the outcome: a connection that breaks just then ends the process.
    autoResubscribe: false,
  }
}

/** Ends a connection for good, in whatever state it is; everything that waits on it is refused. */
export async function endRedisClient(client: Redis): Promise<void> {
  if (client.status === 'end') return
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  // Told to disconnect between two tries, ioredis cancels the next one and then says nothing more to anybody.
  if (client.status === 'reconnecting') client.connect().catch(() => undefined)
  client.disconnect()
  await ended
}

/** A frozen server lets the system accept connections for it, and ioredis would wait for its greeting for ever. */
function dropSilentGreeting(client: Redis, answerMs: number): void {
  let timer: NodeJS.Timeout | undefined
  client.on('connect', () => {
    clearTimeout(timer)
    timer = setTimeout(() => client.disconnect(true), answerMs)
  })
  for (const event of ['ready', 'close']) client.on(event, () => clearTimeout(timer))
  // Without a listener ioredis writes to the console; who wants to know listens too.
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
