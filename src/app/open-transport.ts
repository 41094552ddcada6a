import { Client } from 'pg'
import type { Config } from '../config/config.ts'
import { clientConfig, openPool } from '../db/database.ts'
import { createPostgresBus } from '../edges/queue/create-postgres-bus.ts'
import { createPostgresQueue } from '../edges/queue/create-postgres-queue.ts'
import type { Bus } from '../ports/bus.ts'
import type { Queue } from '../ports/queue.ts'
import type { Log } from '../util/log.ts'
import type { Store } from './open-store.ts'

/** How long answers of calls that were stopped may take to be stored. */
const toldInMs = 10_000

/** The queue and the bus for live events, both in the product's Postgres, over one pool of their own. */
export async function openQueue(
  store: Store,
  config: Config,
  log: Log,
): Promise<AsyncDisposable & { readonly queue: Queue; readonly bus: Bus }> {
  const resources = new AsyncDisposableStack()
  const pool = openPool(store.owner, {
    max: 8,
    searchPath: 'bullmq',
    log,
    synchronousCommit: false,
  })
  resources.defer(() => pool.end())
  // Beyond the grace only what still has to be told about calls that were stopped.
  const graceMs = config.limits.shutdownGraceMs + toldInMs
  const queue = resources.use(await createPostgresQueue({ pool, log, tuning: { graceMs } }))
  const bus = resources.use(
    await createPostgresBus({
      listen: () => new Client(clientConfig(store.owner)),
      notify: (text, values) => pool.query(text, [...values]),
      log,
    }),
  )
  return { queue, bus, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
