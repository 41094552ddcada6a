import { Client } from 'pg'
import { createPostgresBus } from '../adapters/queue/create-postgres-bus.ts'
import { createPostgresQueue } from '../adapters/queue/create-postgres-queue.ts'
import type { Config } from '../config/config.ts'
import { type Connection, clientConfig, openPool } from '../db/database.ts'
import type { Log } from '../util/log.ts'
import { drainMs, type Transport } from './transport.ts'

/**
 * STORE-01: opens queue and bus in the product's PostgreSQL, over a pool of their own. `isAlone`: the lock of the data
 * directory proves that no other process of the product uses this server.
 */
export async function openPostgresTransport(
  config: Config,
  { owner, isAlone }: { readonly owner: Connection; readonly isAlone: boolean },
  log: Log,
): Promise<Transport> {
  const resources = new AsyncDisposableStack()
  const pool = openPool(owner, { max: 4, searchPath: 'bullmq', log, synchronousCommit: false })
  resources.defer(() => pool.end())
  try {
    const tuning = { graceMs: drainMs(config) }
    const queue = resources.use(await createPostgresQueue({ pool, log, tuning }))
    const bus = resources.use(
      await createPostgresBus({
        listen: () => new Client(clientConfig(owner)),
        notify: (text, values) => pool.query(text, [...values]),
        log,
        isAlone,
      }),
    )
    return { queue, bus, [Symbol.asyncDispose]: () => resources.disposeAsync() }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}
