import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { unlessAborted } from '../util/abort.ts'
import { type Log, silentLog } from '../util/log.ts'
import { backoffMs } from '../util/run-periodically.ts'
import { type Connection, clientConfig } from './database.ts'

/** Options of `listen`. */
export interface ListenOptions {
  /** Stops listening, as disposing does. */
  readonly signal?: AbortSignal
  readonly log?: Log
}

/**
 * Calls `handle` with the payload of every NOTIFY on the channel after this resolves. Reconnects forever, with 0.1 s to 5
 * s between attempts; notifications in between are lost. Rejects only if the signal aborts first.
 */
export async function listen(
  connection: Connection,
  channel: string,
  handle: (payload: string) => void,
  { signal, log = silentLog }: ListenOptions = {},
): Promise<AsyncDisposable> {
  const own = new AbortController()
  const stop = signal === undefined ? own.signal : AbortSignal.any([own.signal, signal])
  const subscription: Subscription = { connection, channel, handle, log, stop }
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  const ended = keepListening(subscription, resolve)
  await Promise.race([listening, ended])
  stop.throwIfAborted()
  return {
    [Symbol.asyncDispose]: async () => {
      own.abort()
      await ended
    },
  }
}

interface Subscription {
  readonly connection: Connection
  readonly channel: string
  readonly handle: (payload: string) => void
  readonly log: Log
  readonly stop: AbortSignal
}

async function keepListening(subscription: Subscription, onListening: () => void): Promise<void> {
  const { channel, log, stop } = subscription
  let tries = 0
  while (!stop.aborted) {
    try {
      await listenOnce(subscription, () => {
        tries = 0
        onListening()
      })
    } catch (error) {
      log.warn({ channel, err: error }, 'lost the listening connection, reconnecting')
    }
    await delay(backoffMs(tries, 100, 5_000), undefined, { signal: stop }).catch(() => undefined)
    tries += 1
  }
}

/** Listens until the signal aborts; rejects when the connection breaks. */
async function listenOnce(subscription: Subscription, onListening: () => void): Promise<void> {
  const { connection, channel, handle, stop } = subscription
  const client = new Client({ ...clientConfig(connection), query_timeout: 10_000 })
  const broken = Promise.withResolvers<never>()
  client.on('error', broken.reject)
  client.on('end', () => broken.reject(new Error('the server closed the connection')))
  client.on('notification', ({ payload }) => handle(payload ?? ''))
  try {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
    onListening()
    await unlessAborted(Promise.race([broken.promise, pingUntil(client, stop)]), stop, undefined)
  } finally {
    // The end that we request is not a failure.
    broken.promise.catch(() => undefined)
    await client.end().catch(() => undefined)
  }
}

/** Detects a silently lost connection, which shows only when something is sent. */
async function pingUntil(client: Client, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await delay(15_000, undefined, { signal: stop, ref: false }).catch(() => undefined)
    if (!stop.aborted) await client.query('select')
  }
}
