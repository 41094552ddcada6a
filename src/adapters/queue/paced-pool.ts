import type { PgPool, PgPoolClient, PgQueryResult } from 'bullmq'
import { isConnectionLoss } from '../../util/connection-loss.ts'
import type { Log } from '../../util/log.ts'
import { Pace } from './pace.ts'
import type { QueuePool } from './queue-pool.ts'
import { SharedClient } from './shared-client.ts'

/** The pool as BullMQ's workers get it: failures come slower the longer they go on. */
export class PacedPool implements PgPool {
  readonly #pool: QueuePool
  readonly #pace: Pace

  constructor(pool: QueuePool, log: Log) {
    this.#pool = pool
    this.#pace = new Pace({
      isTrouble: isConnectionLoss,
      began: (error) => log.warn({ err: error }, 'queue: the database is away'),
      over: () => log.info({}, 'queue: the database is back'),
    })
  }

  query<R>(text: string, values: readonly unknown[] = []): Promise<PgQueryResult<R>> {
    const result = this.#pace.run(() => this.#pool.query(text, [...values]))
    return result as Promise<PgQueryResult<R>>
  }

  connect(): Promise<PgPoolClient> {
    return this.#pace.run(async () => new SharedClient(await this.#pool.connect()))
  }

  /** The pool is the caller's; who listens to it is the caller's business too. */
  on(): this {
    return this
  }

  removeAllListeners(): this {
    return this
  }

  async end(): Promise<void> {
    await Promise.resolve()
  }
}
